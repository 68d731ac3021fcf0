//! The dynamic tree against brute force, after any sequence of changes.

use glam::DVec3;
use proptest::prelude::*;
use superegg::query::Ray;
use superegg_world::bound::{Aabb, Bound};
use superegg_world::broad::{Leaf, Tree, TreeError};

fn any_box() -> impl Strategy<Value = Aabb> {
    // Coordinates from a coarse lattice, so that sides coincide and boxes are flat or equal now and then; some differ by less than single
    // precision can tell.
    let coordinate = prop_oneof![
        (0i32..20).prop_map(f64::from),
        (0i32..20, -2i32..=2).prop_map(|(near, off)| f64::from(near) + 1e-12 * f64::from(off)),
        -10.0..10.0f64
    ];
    let size = prop_oneof![Just(0.0), 0.0..3.0f64, Just(1.0), Just(15.0)];
    (prop::array::uniform3(coordinate), prop::array::uniform3(size)).prop_map(|(min, size)| {
        let min = DVec3::from(min);
        Aabb { min, max: min + DVec3::from(size) }
    })
}

#[derive(Clone, Debug)]
enum Change {
    Insert(Aabb),
    Remove(prop::sample::Index),
    Set(prop::sample::Index, Aabb),
    Rebuild,
    Maintain,
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let change = prop_oneof![
        5 => any_box().prop_map(Change::Insert),
        2 => any::<prop::sample::Index>().prop_map(Change::Remove),
        4 => (any::<prop::sample::Index>(), any_box()).prop_map(|(which, aabb)| Change::Set(which, aabb)),
        1 => Just(Change::Rebuild),
        1 => Just(Change::Maintain),
    ];
    prop::collection::vec(change, 1..120)
}

/// The tree and the plain list it has to agree with.
fn apply(changes: &[Change]) -> (Tree, Vec<(Leaf, u32, Aabb)>) {
    let (mut tree, mut list) = (Tree::new(), Vec::<(Leaf, u32, Aabb)>::new());
    for (item, change) in (100..).zip(changes) {
        match change {
            Change::Insert(aabb) => list.push((tree.insert(aabb, item).unwrap(), item, *aabb)),
            Change::Remove(_) | Change::Set(..) if list.is_empty() => {}
            Change::Remove(which) => {
                let (leaf, ..) = list.swap_remove(which.index(list.len()));
                tree.remove(leaf).unwrap();
                assert_eq!(tree.remove(leaf), Err(TreeError::NoLeaf(leaf)));
            }
            Change::Set(which, aabb) => {
                let which = which.index(list.len());
                list[which].2 = *aabb;
                tree.set(list[which].0, aabb).unwrap();
            }
            Change::Rebuild => tree.rebuild(),
            Change::Maintain => drop(tree.maintain()),
        }
    }
    tree.assert_valid();
    (tree, list)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn pairs_and_overlaps_equal_brute_force(changes in changes(), probe in any_box()) {
        let (tree, list) = apply(&changes);
        prop_assert_eq!(tree.len(), list.len());
        let mut expected = Vec::new();
        for (index, (_, a, box_a)) in list.iter().enumerate() {
            for (_, b, box_b) in &list[..index] {
                if box_a.overlaps(box_b) {
                    expected.push((*a.min(b), *a.max(b)));
                }
            }
        }
        expected.sort_unstable();
        prop_assert_eq!(tree.pairs(), expected);
        let mut found = Vec::new();
        tree.overlapping(&probe, |item| found.push(item));
        found.sort_unstable();
        let mut expected: Vec<u32> = list.iter().filter(|(.., aabb)| aabb.overlaps(&probe)).map(|(_, item, _)| *item).collect();
        expected.sort_unstable();
        prop_assert_eq!(found, expected);
        for (leaf, _, aabb) in &list {
            prop_assert_eq!(tree.aabb(*leaf), Ok(aabb));
        }
    }

    #[test]
    fn nearest_and_rays_equal_brute_force(
        changes in changes(),
        point in prop::array::uniform3(-12.0..22.0f64),
        direction in prop::array::uniform3(-1.0..1.0f64),
        count in 0usize..6,
    ) {
        let (tree, list) = apply(&changes);
        let point = DVec3::from(point);
        let away = |aabb: &Aabb| (aabb.min - point).max(point - aabb.max).max(DVec3::ZERO).length();
        let of = |item: u32| list.iter().find(|(_, other, _)| *other == item).map(|(.., aabb)| away(aabb));
        let found = tree.nearest(count, away, of);
        let mut expected: Vec<(f64, u32)> = list.iter().map(|(_, item, aabb)| (away(aabb), *item)).collect();
        expected.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        expected.truncate(count);
        prop_assert_eq!(found.iter().map(|found| (found.at, found.item)).collect::<Vec<_>>(), expected);

        // Every item is a small ball in the middle of its box, which the ray meets or not.
        prop_assume!(DVec3::from(direction).length() > 1e-3);
        let ray = Ray::new(point, DVec3::from(direction)).unwrap();
        let hit = |aabb: &Aabb| {
            let radius = 0.5 * (aabb.max - aabb.min).min_element();
            let to = 0.5 * (aabb.min + aabb.max) - point;
            let unit = ray.direction().normalize();
            let along = to.dot(unit);
            let off_sq = to.length_squared() - along * along;
            let t = along - (radius * radius - off_sq).max(0.0).sqrt();
            (off_sq <= radius * radius && t >= 0.0).then(|| t / ray.direction().length())
        };
        let of = |item: u32| list.iter().find(|(_, other, _)| *other == item).and_then(|(.., aabb)| hit(aabb));
        let first = tree.first_on_ray(&ray, 1e-9, of).map(|found| found.at);
        let expected = list.iter().filter_map(|(.., aabb)| hit(aabb)).min_by(f64::total_cmp);
        prop_assert_eq!(first, expected);
    }

    #[test]
    fn refitted_trees_equal_fresh_ones(boxes in prop::collection::vec((any_box(), any_box()), 1..60)) {
        let (before, after): (Vec<Aabb>, Vec<Aabb>) = boxes.into_iter().unzip();
        let mut tree = Tree::over(&before).unwrap();
        tree.refit(|item| after[item as usize]).unwrap();
        tree.assert_valid();
        prop_assert_eq!(tree.pairs(), Tree::over(&after).unwrap().pairs());
    }
}

/// Whether few leaves are moved or many, the tree is one over the new boxes.
#[test]
fn leaves_that_move_together_are_found_where_they_are() {
    let mut random = fastrand::Rng::with_seed(2);
    let mut place = || {
        let min = DVec3::new(random.f64(), random.f64(), random.f64()) * 10.0;
        Aabb { min, max: min + 0.8 }
    };
    let mut boxes: Vec<Aabb> = (0..300).map(|_| place()).collect();
    let mut tree = Tree::new();
    let leaves: Vec<Leaf> = (0u32..).zip(&boxes).map(|(item, aabb)| tree.insert(aabb, item).unwrap()).collect();
    for count in [0, 1, 5, 40, 300] {
        let moved: Vec<(Leaf, Aabb)> = (0..count).map(|i| (leaves[i], place())).collect();
        (0..count).for_each(|i| boxes[i] = moved[i].1);
        tree.set_all(&moved).unwrap();
        tree.assert_valid();
        assert_eq!(tree.pairs(), Tree::over(&boxes).unwrap().pairs());
        let mut mapped = tree.map_pairs(|a, b| Some((a.min(b), a.max(b))));
        mapped.sort_unstable();
        assert_eq!(mapped, tree.pairs(), "threads find the same");
        tree.maintain();
    }
    assert!(Tree::new().map_pairs(|a, b| Some((a, b))).is_empty());
    let before = tree.pairs();
    let bad = Aabb { min: DVec3::NAN, max: DVec3::ONE };
    assert!(matches!(tree.set_all(&[(leaves[0], place()), (leaves[1], bad)]), Err(TreeError::Box { .. })));
    assert_eq!(tree.pairs(), before);
}

/// Trees of every size from none to several levels of buckets, built at once and one by one: boxes that touch in a point, that miss each
/// other by the last digit, that are beyond single precision, and that are all the same.
#[test]
fn pairs_are_exact_at_any_size_and_scale() {
    let mut random = fastrand::Rng::with_seed(3);
    for scale in [1.0, 1e-300, 1e-40, 1e20, 1e300] {
        for count in (0..40).chain([63, 64, 65, 72, 73, 511, 512, 513, 700]) {
            let boxes: Vec<Aabb> = (0..count)
                .map(|_| {
                    let lattice = DVec3::from([0; 3].map(|_| f64::from(random.u8(0..6))));
                    let off = DVec3::from([0; 3].map(|_| (f64::from(random.u8(0..3)) - 1.0) * f64::EPSILON * 4.0));
                    let min = (lattice + off) * scale;
                    Aabb { min, max: min + scale * f64::from(random.u8(0..2)) }
                })
                .collect();
            let expected: Vec<(u32, u32)> = (0..count)
                .flat_map(|a| {
                    let boxes = &boxes;
                    (a + 1..count).filter(move |&b| boxes[a].overlaps(&boxes[b])).map(move |b| (a as u32, b as u32))
                })
                .collect();
            let built = Tree::over(&boxes).unwrap();
            let mut grown = Tree::new();
            for (item, aabb) in (0u32..).zip(&boxes) {
                grown.insert(aabb, item).unwrap();
            }
            for tree in [&built, &grown] {
                assert_eq!(tree.pairs(), expected, "{count} boxes of size {scale}");
                let mut mapped = tree.map_pairs(|a, b| Some((a.min(b), a.max(b))));
                mapped.sort_unstable();
                assert_eq!(mapped, expected, "{count} boxes of size {scale}, on all threads");
            }
        }
    }
    // Larger than single precision can say, beside nothing: no box that is not there may be found.
    let everywhere = Aabb { min: DVec3::splat(-1e300), max: DVec3::splat(1e300) };
    for count in 0..20u32 {
        let all = (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b))).collect::<Vec<_>>();
        assert_eq!(Tree::over(&vec![everywhere; count as usize]).unwrap().pairs(), all);
    }
}

#[test]
fn bad_boxes_are_refused_and_change_nothing() {
    let unit = Aabb { min: DVec3::ZERO, max: DVec3::ONE };
    let mut tree = Tree::new();
    let leaf = tree.insert(&unit, 0).unwrap();
    for bad in [
        Aabb { min: DVec3::NAN, max: DVec3::ONE },
        Aabb { min: DVec3::ZERO, max: DVec3::INFINITY },
        Aabb { min: DVec3::ONE, max: DVec3::ZERO },
    ] {
        assert!(matches!(tree.insert(&bad, 1), Err(TreeError::Box { .. })));
        assert!(matches!(tree.set(leaf, &bad), Err(TreeError::Box { .. })));
        assert!(matches!(tree.refit(|_| bad), Err(TreeError::Box { .. })));
        assert!(matches!(Tree::over(&[unit, bad]), Err(TreeError::Box { .. })));
    }
    assert_eq!(tree.aabb(leaf), Ok(&unit));
    let empty = Tree::over(&[]).unwrap();
    assert!(empty.is_empty() && empty.pairs().is_empty() && empty.extent().is_none());
    assert!(empty.nearest(3, |_| 0.0, |_| Some(0.0)).is_empty());
}

#[test]
fn a_degraded_tree_is_rebuilt_and_gets_better() {
    let mut tree = Tree::new();
    let at = |x: f64| Aabb { min: DVec3::splat(x), max: DVec3::splat(x + 0.5) };
    let leaves: Vec<Leaf> = (0..500u32).map(|item| tree.insert(&at(f64::from(item)), item).unwrap()).collect();
    tree.rebuild();
    let mut random = fastrand::Rng::with_seed(1);
    let mut rebuilt = false;
    for _ in 0..20 {
        for &leaf in &leaves {
            let min = DVec3::new(random.f64(), random.f64(), random.f64()) * 100.0;
            tree.set(leaf, &Aabb { min, max: min + 0.5 }).unwrap();
        }
        let before = tree.cost();
        if tree.maintain() {
            rebuilt = true;
            assert!(tree.cost() < before);
        }
    }
    assert!(rebuilt);
    tree.assert_valid();
}
