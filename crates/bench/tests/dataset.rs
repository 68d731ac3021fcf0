//! The public data set: the same bytes from the same seed, truths that an independent sum of support values does not contradict, scores that see every
//! mistake, and files that are not what they should be.

use std::fs;
use std::path::{Path, PathBuf};

use bench::Silent;
use bench::dataset::{By, Class, Container, Export, MANIFEST, answer, export, score, table, to_json};

const PAIRS: u64 = 40;

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("superegg-dataset-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    folder
}

fn written(name: &str, pairs: u64, classes: &[&str]) -> PathBuf {
    let classes: Vec<String> = classes.iter().map(|class| (*class).to_owned()).collect();
    let wanted = Export { folder: folder(name), pairs, classes: Class::chosen(&classes).unwrap(), seed: 7, as_json: 5 };
    export(&wanted, &Silent).unwrap();
    wanted.folder
}

fn rows(path: &Path) -> (Container, Vec<Vec<f64>>) {
    let mut file = Container::open(path).unwrap();
    let mut rows = Vec::new();
    for _ in 0..file.rows {
        let mut row = Vec::new();
        file.next_row(&mut row).unwrap();
        rows.push(row);
    }
    (file, rows)
}

#[test]
fn every_class_is_written_answered_and_scored() {
    let (data, mine) = (written("all", PAIRS, &[]), folder("all-mine"));
    answer(&data, &mine, By::Superegg, &Silent).unwrap();
    let scores = score(&data, &mine, &Silent).unwrap();
    assert_eq!(scores.len(), 32);
    for score in &scores {
        assert_eq!((score.pairs, score.missing, score.wrong_side), (PAIRS, 0, 0), "{}", score.class);
        // Certified to 1e-9 of the size, which is at most 2 or so; hulls' bounds of the papers' superovoids are wide.
        assert!(score.distance.last().unwrap() < &1e-8, "{}: {:?}", score.class, score.distance.last());
        assert_eq!(score.seconds.len() as u64, PAIRS);
    }
    let (text, figures) = (table(&scores).to_string(), to_json(&scores));
    assert!(text.contains("hulls_deep") && figures["classes"].as_array().unwrap().len() == 32);
    // Normals of convex bodies that are apart are unique and right.
    let apart = scores.iter().find(|score| score.class.to_string() == "superellipsoids_far").unwrap();
    assert!(apart.normal.len() as u64 == PAIRS && apart.normal.last().unwrap() < &1e-3, "{:?}", apart.normal.last());
    let manifest: serde_json::Value = serde_json::from_str(&fs::read_to_string(data.join(MANIFEST)).unwrap()).unwrap();
    assert_eq!(manifest["files"].as_array().unwrap().len(), 32);
    let lines = fs::read_to_string(data.join("primitives_near.jsonl")).unwrap();
    assert_eq!(lines.lines().count(), 5);
    let first: serde_json::Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    assert!(first["truth"]["lower"].as_f64().unwrap() <= first["truth"]["upper"].as_f64().unwrap());
}

#[test]
fn parry_answers_what_it_can() {
    let (data, theirs) = (written("parry", PAIRS, &["ellipsoids_near", "hulls_far"]), folder("parry-theirs"));
    answer(&data, &theirs, By::Parry, &Silent).unwrap();
    for score in score(&data, &theirs, &Silent).unwrap() {
        assert_eq!(score.missing, 0, "{}", score.class);
        assert!(score.distance[PAIRS as usize / 2] < 1e-3, "{}: {:?}", score.class, score.distance);
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_fewer_pairs_are_the_first_of_more() {
    let classes = ["hulls_shallow", "points_deep"];
    let (one, two, more) =
        (written("one", 30, &classes), written("two", 30, &classes), written("more", 1500, &classes));
    for class in classes {
        let name = format!("{class}.bin");
        assert_eq!(fs::read(one.join(&name)).unwrap(), fs::read(two.join(&name)).unwrap());
        assert_eq!(rows(&one.join(&name)).1, rows(&more.join(&name)).1[..30]);
    }
}

#[test]
fn scores_see_every_mistake() {
    let (data, answers) = (written("csv", 10, &["ellipsoids_far"]), folder("csv-answers"));
    fs::create_dir_all(&answers).unwrap();
    let (file, truth) = rows(&data.join("ellipsoids_far.bin"));
    let at = |name: &str| file.columns.field(name).unwrap().offset;
    let mut text = "seconds, distance,normal_x,normal_y,normal_z,comment\n".to_owned();
    for (index, row) in truth.iter().enumerate() {
        let n = &row[at("normal")..][..3];
        text += &match index {
            0 => format!("1e-6,{},{},{},{},exact\n", row[at("distance")], n[0], n[1], n[2]),
            1 => format!("2e-6,{},{},{},{},off by one millimetre\n", row[at("upper")] + 1e-3, n[0], n[1], n[2]),
            2 => "3e-6,-0.5,,,,on the wrong side\n".to_owned(),
            3 => "4e-6,,,,,failed\n".to_owned(),
            4 => format!("5e-6,{},{},{},{},backwards\n", row[at("distance")], -n[0], -n[1], -n[2]),
            5 => "6e-6,nan,,,,failed\n".to_owned(),
            _ => continue,
        };
    }
    fs::write(answers.join("ellipsoids_far.csv"), &text).unwrap();
    let scores = score(&data, &answers, &Silent).unwrap();
    let score_of = &scores[0];
    assert_eq!((score_of.missing, score_of.wrong_side), (6, 1));
    assert_eq!(score_of.distance.len(), 4);
    assert!(score_of.distance[..2] == [0.0; 2] && (score_of.distance[2] - 1e-3).abs() < 1e-12);
    assert!((score_of.normal.last().unwrap() - std::f64::consts::PI).abs() < 1e-6 && score_of.normal.len() == 3);
    fs::write(answers.join("ellipsoids_far.csv"), text.replace("failed", "").replace("1e-6,", "x,")).unwrap();
    assert!(score(&data, &answers, &Silent).unwrap_err().to_string().ends_with("line 2: x is no number"));
    fs::write(answers.join("ellipsoids_far.csv"), "length\n1\n").unwrap();
    assert!(score(&data, &answers, &Silent).unwrap_err().to_string().contains("names no column distance"));
    fs::remove_file(answers.join("ellipsoids_far.csv")).unwrap();
    assert!(score(&data, &answers, &Silent).unwrap_err().to_string().contains("holds no answers"));
}

#[test]
fn broken_files_are_refused() {
    let data = written("broken", 3, &["points_near"]);
    let path = data.join("points_near.bin");
    let good = fs::read(&path).unwrap();
    let refused = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        Container::open(&path).err().expect("refused").to_string()
    };
    assert!(refused(b"SUPER").contains("too short"));
    assert!(refused(&good[..good.len() - 1]).contains("3 rows of"));
    let mut other = good.clone();
    other[0] = b'X';
    assert!(refused(&other).contains("does not begin with SUPEREGG"));
    other = good.clone();
    other[8] = 9;
    assert!(refused(&other).contains("version 9"));
    // Whatever byte of the header is changed, reading it does not panic.
    for index in 0..good.len().min(400) {
        let mut other = good.clone();
        other[index] ^= 0xff;
        fs::write(&path, &other).unwrap();
        if let Ok(mut file) = Container::open(&path) {
            let _ = file.next_row(&mut Vec::new());
        }
    }
    assert!(Class::chosen(&["cubes".to_owned()]).unwrap_err().contains("there is no class cubes"));
}

#[test]
fn pairs_of_another_kind_are_refused() {
    // Its rows are too short for what a triangle's have.
    let data = written("other", 3, &["points_near"]);
    let answers = data.join("answers");
    fs::rename(data.join("points_near.bin"), data.join("triangles_near.bin")).unwrap();
    let refused = answer(&data, &answers, By::Superegg, &Silent).unwrap_err().to_string();
    assert!(refused.ends_with("its fields are not those of triangles_near"), "{refused}");
    fs::create_dir_all(&answers).unwrap();
    fs::write(answers.join("triangles_near.csv"), "distance\n1\n").unwrap();
    let refused = score(&data, &answers, &Silent).unwrap_err().to_string();
    assert!(refused.ends_with("its fields are not those of triangles_near"), "{refused}");
}
