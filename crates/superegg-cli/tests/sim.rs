//! `superegg sim`: scenes, reports and the files they are written to.

mod program;

use program::{Ran, run, superegg};
use serde_json::Value;

const SCENE: &str = "\
seconds = 0.1
dt = 0.01
[[body]]
type = \"superellipsoid\"
radii = [0.5, 0.5, 0.5]
exponents = [1, 1]
angular_velocity = [0, 0, 3]
[[body]]
type = \"plane\"
normal = [0, 0, 1]
offset = -0.5
[[cloth]]
vertices = [7, 7]
size = [1.5, 1.5]
corner = [-0.75, -0.75, 0.55]
";

/// What a film of it names: planes first.
const NAMES: [&str; 5] = ["floor0", "body0", "cloth0", "camera", "small"];
const NAMES_WITH_RAMP: [&str; 6] = ["floor0", "body0", "body2", "cloth0", "camera", "ramp"];

/// The description inside of a binary glTF file.
fn description(file: &[u8]) -> Value {
    assert_eq!(file[..4], *b"glTF");
    let length = u32::from_le_bytes(file[12..16].try_into().unwrap()) as usize;
    serde_json::from_slice(&file[20..20 + length]).unwrap()
}

#[test]
fn a_scene_file_becomes_a_report_frames_and_a_film() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(at("small.toml"), SCENE).unwrap();
    let (scene, film, frames) = (at("small.toml"), at("small.glb"), at("frames"));
    let Ran { code, out, err } =
        run(superegg(&["sim", &scene, "--report", "-", "--frames", &film, "--every", "2"]), "");
    assert_eq!((code, err.as_str()), (Some(0), ""));
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&report["steps"], &report["penetration"]["final_count"]), (&10.into(), &0.into()));
    let said = description(&std::fs::read(&film).unwrap());
    let names: Vec<&str> = said["nodes"].as_array().unwrap().iter().filter_map(|node| node["name"].as_str()).collect();
    assert_eq!(names, NAMES);
    let channels = said["animations"][0]["channels"].as_array().unwrap();
    let moved: Vec<&str> = channels.iter().filter_map(|channel| channel["target"]["path"].as_str()).collect();
    assert_eq!(moved, ["rotation", "weights"]);
    let targets =
        said["meshes"].as_array().unwrap().iter().filter_map(|mesh| mesh["primitives"][0]["targets"].as_array());
    assert_eq!(targets.map(Vec::len).collect::<Vec<_>>(), [5], "frames 0, 2, … 10");

    let Ran { code, .. } = run(superegg(&["sim", &scene, "--frames", &frames, "--every", "5"]), "");
    assert_eq!(code, Some(0));
    let mut files: Vec<_> =
        std::fs::read_dir(&frames).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    files.sort();
    assert_eq!(files, ["small00000.obj", "small00001.obj", "small00002.obj"]);
}

#[test]
fn wrinkles_are_written_in_place_of_the_cloth() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(at("coarse.toml"), SCENE).unwrap();
    std::fs::write(at("fine.toml"), format!("{SCENE}wrinkles = {{ level = 2, reach = 0.02 }}\n")).unwrap();
    let vertices_of_cloth = |arguments: &[&str]| {
        let frames = at("frames");
        let Ran { code, err, .. } =
            run(superegg(&[&["sim"], arguments, &["--frames", &frames, "--every", "10"]].concat()), "");
        assert_eq!((code, err.as_str()), (Some(0), ""));
        let name = std::path::Path::new(arguments[0]).file_stem().unwrap().to_str().unwrap();
        let text = std::fs::read_to_string(format!("{frames}/{name}00001.obj")).unwrap();
        let cloth = text.split("\no ").find(|part| part.trim_start_matches("o ").starts_with("cloth0")).unwrap();
        cloth.lines().filter(|line| line.starts_with("v ")).count()
    };
    assert_eq!(vertices_of_cloth(&[&at("coarse.toml")]), 7 * 7);
    assert_eq!(vertices_of_cloth(&[&at("coarse.toml"), "--wrinkles", "1"]), 13 * 13);
    assert_eq!(vertices_of_cloth(&[&at("fine.toml")]), 25 * 25);
}

#[test]
fn a_mesh_of_a_scene_file_is_met_drawn_and_written() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(at("ramp.obj"), "v -1 -1 0\nv 1 -1 0\nv 1 1 0.4\nv -1 1 0.4\nf 1 2 3 4\n").unwrap();
    let mesh = "[[body]]\ntype = \"mesh\"\nfile = \"ramp.obj\"\nposition = [0, 0, 0.3]\nvelocity = [0, 0, 0.5]\n";
    let (scene, film, frames) = (at("ramp.toml"), at("ramp.glb"), at("frames"));
    let scene_of = SCENE.replace("corner = [-0.75, -0.75, 0.55]", "corner = [-0.75, -0.75, 0.9]");
    std::fs::write(at("ramp.toml"), scene_of.replace("[[cloth]]", &format!("{mesh}[[cloth]]"))).unwrap();
    let Ran { code, out, err } = run(superegg(&["sim", &scene, "--report", "-", "--frames", &film]), "");
    assert_eq!((code, err.as_str()), (Some(0), ""));
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&report["mesh_intersections"], &report["vertices"]), (&0.into(), &49.into()));
    let said = description(&std::fs::read(&film).unwrap());
    let names: Vec<&str> = said["nodes"].as_array().unwrap().iter().filter_map(|node| node["name"].as_str()).collect();
    assert_eq!(names, NAMES_WITH_RAMP);
    let Ran { code, .. } = run(superegg(&["sim", &scene, "--frames", &frames, "--png", &frames, "--every", "10"]), "");
    assert_eq!(code, Some(0));
    let text = std::fs::read_to_string(format!("{frames}/ramp00001.obj")).unwrap();
    let ramp = text.split("\no ").find(|part| part.starts_with("body2")).unwrap();
    let heights: Vec<f64> = ramp
        .lines()
        .filter_map(|line| line.strip_prefix("v "))
        .map(|line| line.split_whitespace().last().unwrap().parse().unwrap())
        .collect();
    // It began at 0.3 m and rose by 5 cm.
    assert!(heights.iter().zip([0.35, 0.35, 0.75, 0.75]).all(|(z, exact)| (z - exact).abs() < 1e-6), "{heights:?}");
    assert!(std::fs::metadata(format!("{frames}/ramp00001.png")).unwrap().len() > 1000);

    std::fs::write(at("ramp.toml"), SCENE.replace("[[cloth]]", &format!("{mesh}scale = 0\n[[cloth]]"))).unwrap();
    let Ran { code, err, .. } = run(superegg(&["sim", &scene]), "");
    assert_eq!(code, Some(1));
    assert!(err.contains("line 17: scale: 0 is outside"), "{err}");
}

#[test]
fn rigid_bodies_are_moved_by_their_nodes() {
    let folder = tempfile::tempdir().unwrap();
    let film = folder.path().join("bowl.glb").display().to_string();
    let Ran { code, err, .. } =
        run(superegg(&["sim", "bowl", "--bodies", "3", "--seconds", "0.1", "--frames", &film]), "");
    assert_eq!((code, err.as_str()), (Some(0), ""));
    let said = description(&std::fs::read(&film).unwrap());
    let channels = said["animations"][0]["channels"].as_array().unwrap();
    assert!(channels.iter().filter(|channel| channel["target"]["path"] == "translation").count() == 3, "{channels:?}");
}

#[test]
fn what_cannot_be_filmed_is_refused() {
    for (arguments, reason) in [
        (&["sim", "curtain", "--frames", "film.gltf"][..], "name it .glb"),
        (&["sim", "curtain", "--frames", "film.glb", "--every", "1"], "at most 256 frames"),
        (&["sim", "certain"], "did you mean curtain?"),
        (&["sim", "curtain", "--seconds", "0"], "--seconds: 0 is outside"),
    ] {
        let Ran { code, out, err } = run(superegg(arguments), "");
        assert_eq!((code, out.as_str()), (Some(1), ""), "{arguments:?}");
        assert!(err.contains(reason), "{arguments:?}: {err}");
    }
}

/// `superegg render bowl` answered "no scene bowl (did you mean bowl?)".
#[test]
fn every_scene_is_drawn_written_and_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let Ran { code, err, .. } = run(superegg(&["sim", "bowl", "--bodies", "2", "--write-scene", &at("bowl.toml")]), "");
    assert_eq!((code, err.as_str()), (Some(0), ""));
    let draw = |scene: &str, to: &str, more: &[&str]| {
        let size = ["--seconds", "0.05", "--width", "64", "--height", "48", "-o"];
        let Ran { code, err, .. } = run(superegg(&[&["render", scene], more, &size, &[&at(to)]].concat()), "");
        assert_eq!((code, err.as_str()), (Some(0), ""), "{scene}");
        std::fs::read(at(to)).unwrap()
    };
    let picture = draw("bowl", "one.png", &["--bodies", "2"]);
    assert!(picture == draw(&at("bowl.toml"), "other.png", &[]), "the same picture of the same scene");
    for (scene, _) in superegg_scene::built_in::BUILT_IN {
        assert!(draw(scene, "scene.png", &[]).len() > 500, "{scene}");
    }
}
