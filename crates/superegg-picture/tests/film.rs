//! Animated glTF, read back by another library and compared with what was put in.

use gltf::animation::util::ReadOutputs;
use superegg::{DQuat, DVec3, Pose};
use superegg_picture::gltf::{Film, FilmError, MOST_FRAMES, State};
use superegg_picture::{Camera, Mesh, Paint};

fn square(paint: Paint) -> Mesh {
    let positions = vec![DVec3::ZERO, DVec3::X, DVec3::new(1.0, 1.0, 0.0), DVec3::Y];
    Mesh { positions, triangles: vec![[0, 1, 2], [0, 2, 3]], paint }
}

fn gingham() -> Paint {
    let coordinates = vec![[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]];
    Paint::Gingham { light: [0.9, 0.9, 0.8], dark: [0.5, 0.0, 0.0], coordinates }
}

/// Where the soft square's vertices are at a time: it folds along its diagonal while it falls.
fn shape(time: f64) -> Vec<DVec3> {
    let mut positions = square(gingham()).positions;
    positions[1].z += time.sin();
    positions[3].z += 0.5 * time;
    positions.iter().map(|p| *p - DVec3::Z * time * time).collect()
}

/// Where the rigid square is: it turns by more than a whole turn.
fn place(time: f64) -> Pose {
    Pose::new(DQuat::from_scaled_axis(DVec3::new(1.0, 2.0, 3.0) * time), DVec3::new(time, -time, 2.0)).unwrap()
}

const TIMES: [f64; 5] = [0.0, 0.5, 1.0, 2.0, 2.5];

fn film() -> Film {
    let camera = Camera { eye: DVec3::new(3.0, -4.0, 2.0), target: DVec3::ZERO, field_of_view: 40.0 };
    let mut film = Film::new("test", Some(camera));
    let shared = film.add_mesh(&square(Paint::Plain([0.1, 0.2, 0.3]))).unwrap();
    film.add_rigid("tile", shared).unwrap();
    film.add_soft("cloth", &square(gingham())).unwrap();
    film.add_rigid("fixed tile", shared).unwrap();
    for time in TIMES {
        let still = Pose::from_translation(DVec3::X * 5.0);
        film.push_frame(time, &[State::Placed(place(time)), State::Shaped(&shape(time)), State::Placed(still)])
            .unwrap();
    }
    film
}

fn read(film: &Film) -> (gltf::Document, Vec<u8>) {
    let mut file = Vec::new();
    film.write_glb(&mut file).unwrap();
    // The reader checks every index, type and required field.
    let gltf::Gltf { document, blob } = gltf::Gltf::from_slice(&file).unwrap();
    (document, blob.unwrap_or_default())
}

fn close(found: [f32; 3], expected: DVec3) {
    let found = DVec3::from(found.map(f64::from));
    assert!((found - expected).length() < 1e-6, "{found} instead of {expected}");
}

#[test]
fn what_is_read_back_is_what_was_put_in() {
    let (document, blob) = read(&film());
    let bytes = |_: gltf::Buffer| Some(&blob[..]);
    let root = document.default_scene().unwrap().nodes().next().unwrap();
    // The root turns z up into y up.
    let turn = DQuat::from_array(root.transform().decomposed().1.map(f64::from));
    assert!((turn * DVec3::Z - DVec3::Y).length() < 1e-6);
    let names: Vec<_> = root.children().map(|node| node.name().unwrap().to_owned()).collect();
    assert_eq!(names, ["tile", "cloth", "fixed tile", "camera"]);
    assert_eq!(document.meshes().count(), 2, "tiles share a mesh");

    // The camera looks at its target.
    let camera = root.children().last().unwrap();
    let (eye, turned, _) = camera.transform().decomposed();
    close(eye, DVec3::new(3.0, -4.0, 2.0));
    let along = DQuat::from_array(turned.map(f64::from)) * -DVec3::Z;
    assert!((along - DVec3::new(-3.0, 4.0, -2.0).normalize()).length() < 1e-6);

    let cloth = root.children().nth(1).unwrap().mesh().unwrap();
    let primitive = cloth.primitives().next().unwrap();
    let reader = primitive.reader(bytes);
    let corners: Vec<u32> = reader.read_indices().unwrap().into_u32().collect();
    assert_eq!(corners, [0, 1, 2, 0, 2, 3]);
    let first: Vec<[f32; 3]> = reader.read_positions().unwrap().collect();
    let normals: Vec<[f32; 3]> = reader.read_normals().unwrap().collect();
    let targets: Vec<_> = reader
        .read_morph_targets()
        .map(|(p, n, _)| (p.unwrap().collect::<Vec<_>>(), n.unwrap().collect::<Vec<_>>()))
        .collect();
    assert_eq!(targets.len(), TIMES.len() - 1);
    assert!(primitive.material().pbr_metallic_roughness().base_color_texture().is_some());

    let animation = document.animations().next().unwrap();
    let mut seen = Vec::new();
    for channel in animation.channels() {
        let reader = channel.reader(bytes);
        let times: Vec<f32> = reader.read_inputs().unwrap().collect();
        assert_eq!(times, TIMES.map(|time| time as f32));
        let node = channel.target().node().name().unwrap().to_owned();
        match reader.read_outputs().unwrap() {
            ReadOutputs::Translations(values) => {
                values.zip(TIMES).for_each(|(found, time)| close(found, place(time).translation));
                seen.push(format!("{node} moves"));
            }
            ReadOutputs::Rotations(values) => {
                let mut last = DQuat::IDENTITY;
                for (found, time) in values.into_f32().zip(TIMES) {
                    let found = DQuat::from_array(found.map(f64::from));
                    assert!(found.dot(place(time).rotation).abs() > 1.0 - 1e-6);
                    assert!(found.dot(last) >= 0.0, "the short way round");
                    last = found;
                }
                seen.push(format!("{node} turns"));
            }
            ReadOutputs::MorphTargetWeights(values) => {
                let weights: Vec<f32> = values.into_f32().collect();
                for (row, time) in weights.chunks(targets.len()).zip(TIMES) {
                    // The shape as a player makes it.
                    let blend = |of: &dyn Fn(usize) -> [f32; 3], base: [f32; 3]| {
                        (0..targets.len()).fold(base, |sum, t| [0, 1, 2].map(|i| sum[i] + row[t] * of(t)[i]))
                    };
                    let expected = shape(time);
                    for v in 0..4 {
                        close(blend(&|t| targets[t].0[v], first[v]), expected[v]);
                    }
                    let across = (expected[2] - expected[0]).cross(expected[3] - expected[0]).normalize();
                    close(blend(&|t| targets[t].1[3], normals[3]), across);
                }
                seen.push(format!("{node} bends"));
            }
            ReadOutputs::Scales(_) => panic!("nothing grows"),
        }
    }
    assert_eq!(seen, ["tile moves", "tile turns", "cloth bends"], "what stays has no channel");
}

#[test]
fn films_of_one_frame_and_of_nothing_are_files_too() {
    let mut one = Film::new("one", None);
    one.add_soft("cloth", &square(gingham())).unwrap();
    one.push_frame(0.0, &[State::Shaped(&shape(0.0))]).unwrap();
    let (document, _) = read(&one);
    assert_eq!((document.meshes().count(), document.animations().count()), (1, 0));
    let (document, blob) = read(&Film::new("nothing", None));
    assert_eq!((document.nodes().count(), blob.len()), (1, 0));
    // Actors that never had a frame stand where their mesh is.
    let mut none = Film::new("none", None);
    none.add_soft("cloth", &square(gingham())).unwrap();
    assert_eq!(read(&none).0.meshes().count(), 1);
}

#[test]
fn nonsense_is_refused() {
    let mut film = film();
    let mesh =
        |positions: Vec<DVec3>, triangles: Vec<[u32; 3]>| Mesh { positions, triangles, paint: Paint::Plain([0.0; 3]) };
    for bad in [
        mesh(vec![DVec3::ZERO; 3], vec![[0, 1, 3]]),
        mesh(vec![DVec3::ZERO; 3], vec![]),
        mesh(vec![DVec3::splat(1e300); 3], vec![[0, 1, 2]]),
        Mesh { paint: gingham(), ..mesh(vec![DVec3::ZERO; 3], vec![[0, 1, 2]]) },
    ] {
        assert!(matches!(film.add_mesh(&bad), Err(FilmError::Mesh { .. })));
    }
    let good = shape(1.0);
    let still = State::Placed(Pose::IDENTITY);
    for (time, states) in [
        (2.5, vec![still, State::Shaped(&good), still]),
        (f64::NAN, vec![still, State::Shaped(&good), still]),
        (3.0, vec![still, State::Shaped(&good)]),
        (3.0, vec![still, still, still]),
        (3.0, vec![still, State::Shaped(&good[..3]), still]),
    ] {
        let refused = film.push_frame(time, &states).unwrap_err();
        assert!(matches!(refused, FilmError::Time { frame: 5, .. } | FilmError::State { frame: 5, .. }), "{refused}");
    }
    assert_eq!(film.frame_count(), 5, "a refused frame leaves no trace");
    for frame in 5..MOST_FRAMES {
        film.push_frame(frame as f64, &[still, State::Shaped(&good), still]).unwrap();
    }
    let full = film.push_frame(1e6, &[still, State::Shaped(&good), still]);
    assert_eq!(full, Err(FilmError::TooManyFrames));
}

/// An actor that came after a frame underflowed when the film was written, and a mesh of another film was out of range.
#[test]
fn late_actors_and_foreign_meshes_are_refused() {
    let mut film = film();
    let (tile, paint) = (square(Paint::Plain([0.5; 3])), FilmError::Late { actor: "late".to_owned(), frames: 5 });
    let shared = film.add_mesh(&tile).unwrap();
    assert_eq!(film.add_rigid("late", shared), Err(paint.clone()));
    assert_eq!(film.add_soft("late", &tile), Err(paint));
    let mut other = Film::new("other", None);
    let foreign = FilmError::Foreign { actor: "tile".to_owned() };
    assert_eq!(other.add_rigid("tile", shared), Err(foreign.clone()));
    other.add_mesh(&tile).unwrap();
    assert_eq!(other.add_rigid("tile", shared), Err(foreign));
    other.write_glb(Vec::new()).unwrap();
}
