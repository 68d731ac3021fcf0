//! Scene files: what is written is read back to the same bits, and refusals name the line of the key.

use std::path::Path;

use superegg::DVec3;
use superegg_scene::built_in::{BUILT_IN, description};
use superegg_scene::{Scene, file};
use superegg_sim::StepOptions;

fn bits(scene: &Scene) -> Vec<u64> {
    let world = &scene.world;
    let bodies = scene.bodies.iter().flat_map(|body| {
        let body = world.body(*body).unwrap();
        [body.pose().translation, body.pose().rotation.xyz(), body.velocity(), body.angular_velocity()]
    });
    let particles = world.particles().position.iter().chain(&world.particles().velocity).copied();
    bodies.chain(particles).flat_map(|v: DVec3| v.to_array().map(f64::to_bits)).collect()
}

#[test]
fn every_built_in_scene_is_written_and_read_back_to_the_same_bits() {
    for (name, _) in BUILT_IN {
        let known = description(name, Some(3).filter(|_| name == "ragdoll" || name == "bowl")).unwrap().unwrap();
        let text = file::write(&known).unwrap();
        let again = file::parse(&text, &format!("{name}.toml"), Path::new(".")).unwrap();
        assert_eq!(again.name, name);
        let (mut one, mut other) = (known.build().unwrap(), again.build().unwrap());
        assert_eq!(
            (one.dt, one.substeps, one.seconds, one.camera),
            (other.dt, other.substeps, other.seconds, other.camera)
        );
        for _ in 0..12 {
            one.advance(&StepOptions::default()).unwrap();
            other.advance(&StepOptions::default()).unwrap();
        }
        assert!(bits(&one) == bits(&other), "{name}");
        // And what is written of what was read is the same text.
        assert_eq!(file::write(&again).unwrap(), text, "{name}");
    }
}

const GOOD: &str = "seconds = 1\n\n[[body]]\ntype = \"plane\"\nnormal = [0, 0, 1]\n\n[[cloth]]\nvertices = [3, 3]\nsize = [1, 1]\npins = [0]\n";

fn message(text: &str) -> String {
    file::parse(text, "s.toml", Path::new(".")).unwrap_err().to_string()
}

#[test]
fn refusals_name_line_and_key() {
    file::parse(GOOD, "s.toml", Path::new(".")).unwrap();
    let cases = [
        ("seconds = 1", "seconds = -1", ["line 1", "seconds: -1"]),
        ("size = [1, 1]", "size = [1, 0]", ["line 9", "size"]),
        ("pins = [0]", "pins = [9]", ["line 10", "vertex 9 does not exist"]),
        ("pins = [0]", "density = 0", ["line 10", "density: 0 is outside"]),
        ("pins = [0]", "friction = [0.1, 0.2]", ["line 10", "friction.dynamic"]),
        ("pins = [0]", "wrinkles = { level = 5 }", ["line 10", "wrinkles.level: 5"]),
        ("pins = [0]", "wrinkles = { level = 1, reach = 0 }", ["line 10", "wrinkles.reach: 0"]),
        ("pins = [0]", "wrinkles = { reach = 0.1 }", ["line 10", "missing field `level`"]),
        ("pins = [0]", "pin = [0]", ["line 10", "unknown field `pin`"]),
        // A coordinate that no mesh can have was a panic.
        ("pins = [0]", "corner = [1e31, 0, 0]", ["line 10", "corner[0]: 1e31 is outside [-1e30, 1e30]"]),
        ("pins = [0]", "corner = [nan, 0, 0]", ["line 10", "corner[0]"]),
        // Quoted and dotted keys are found, too.
        ("pins = [0]", "\"density\" = 0", ["line 10", "density: 0 is outside"]),
        ("pins = [0]", "wrinkles.reach = 0\nwrinkles.level = 1", ["line 10", "wrinkles.reach: 0"]),
        ("normal = [0, 0, 1]", "normal = [0, 0, 0]", ["line 5", "normal"]),
        ("normal = [0, 0, 1]", "", ["line 3", "normal is missing"]),
        ("normal = [0, 0, 1]", "normal = [0, 0]", ["line 5", "invalid length 2"]),
        ("normal = [0, 0, 1]", "normal = [0, 0, 1]\ndensity = 5", ["line 3", "plane"]),
        ("[[cloth]]", "[[cloth]", ["line 7", "TOML parse error"]),
        ("vertices = [3, 3]", "vertices = [3, 100000]", ["line 8", "vertices"]),
        ("type = \"plane\"", "type = \"torus\"", ["line 4", "unknown variant `torus`"]),
        ("[[cloth]]", "[[joint]]\ntype = \"ball\"\nb = 7\n[[cloth]]", ["line 9", "body 7 does not exist"]),
        ("[[cloth]]", "[[joint]]\ntype = \"ball\"\nb = 0\naxis = [{}]\n[[cloth]]", ["line 10", "axis: 1"]),
    ];
    for (from, to, wanted) in cases {
        let said = message(&GOOD.replace(from, to));
        assert!(wanted.iter().all(|part| said.contains(part)), "{to}: {said}");
    }
}

#[test]
fn a_mesh_is_read_from_beside_the_scene_file() {
    let folder = tempfile::tempdir().unwrap();
    let roof = "v -1 -1 0\nv 1 -1 0\nv 1 1 0.5\nv -1 1 0.5\nf 1 2 3 4\n";
    std::fs::write(folder.path().join("roof.obj"), roof).unwrap();
    std::fs::write(folder.path().join("empty.obj"), "v 0 0 0\n").unwrap();
    let text = "[[body]]\ntype = \"mesh\"\nfile = \"roof.obj\"\nscale = 2\nposition = [0, 0, 1]\n\
                angular_velocity = [0, 0, 3]\nfriction = [0.2, 0.1]\n\n\
                [[cloth]]\nvertices = [3, 3]\nsize = [1, 1]\ncorner = [-0.5, -0.5, 2.1]\n";
    let read = |text: &str| file::parse(text, "s.toml", folder.path());
    let scene = read(text).unwrap().build().unwrap();
    let world = &scene.world;
    assert_eq!((scene.bodies.len(), scene.cloths.len()), (1, 1));
    assert!(world.particles().position.iter().all(|p| p.distance(scene.camera.target) < scene.camera.eye.length()));
    let cases = [
        ("roof.obj", "wall.obj", ["line 3", "file: "]),
        ("roof.obj", "roof.doc", ["line 3", "unknown kind of mesh file"]),
        ("roof.obj", "empty.obj", ["line 3", "no triangles"]),
        ("file = \"roof.obj\"", "", ["line 1", "file is missing: a mesh needs it"]),
        ("scale = 2", "scale = -1", ["line 4", "scale: -1 is outside"]),
        ("scale = 2", "scale = nan", ["line 4", "scale: NaN is outside"]),
        ("scale = 2", "radii = [1, 1, 1]", ["line 4", "radii: a mesh has none"]),
        ("position = [0, 0, 1]", "position = [0, nan, 1]", ["line 5", "position"]),
        ("friction = [0.2, 0.1]", "orientation = [0, 0, 0, 0]", ["line 7", "orientation"]),
        ("angular_velocity = [0, 0, 3]", "angular_velocity = [0, 0, inf]", ["line 6", "angular_velocity"]),
        ("corner = [-0.5, -0.5, 2.1]", "corner = [-0.5, -0.5, 1.52]", ["line 12", "passes through a mesh"]),
        ("type = \"mesh\"", "type = \"plane\"\nnormal = [0, 0, 1]", ["line 4", "file: a plane has none"]),
    ];
    for (from, to, wanted) in cases {
        let said = read(&text.replace(from, to)).unwrap_err().to_string();
        assert!(wanted.iter().all(|part| said.contains(part)), "{to}: {said}");
    }
}

#[test]
fn primitives_are_read_and_written() {
    let bodies = [
        ("box", "half_extents = [0.1, 0.2, 0.3]\nrounding = 0.05"),
        ("sphere", "radius = 0.1"),
        ("capsule", "radius = 0.1\nhalf_height = 0.2"),
        ("cylinder", "radius = 0.1\nhalf_height = 0.2"),
        ("cone", "radius = 0.1\nhalf_height = 0.2"),
        ("frustum", "end_radii = [0.1, 0.05]\nhalf_height = 0.2"),
        ("hull", "points = [[0, 0, 0], [0.2, 0, 0], [0, 0.3, 0], [0, 0, 0.2], [0.1, 0.1, 0.3]]\nrounding = 0.01"),
    ];
    let table = |(index, (kind, keys)): (usize, &(&str, &str))| {
        format!("[[body]]\ntype = \"{kind}\"\n{keys}\nposition = [{index}, 0, 1]\ndensity = 500\n\n")
    };
    let text: String = "seconds = 1\n\n".to_owned() + &bodies.iter().enumerate().map(table).collect::<String>();
    let read = |text: &str| file::parse(text, "s.toml", Path::new("."));
    let scene = read(&text).unwrap();
    let again = read(&file::write(&scene).unwrap()).unwrap();
    let (mut one, mut other) = (scene.build().unwrap(), again.build().unwrap());
    for _ in 0..5 {
        one.advance(&StepOptions::default()).unwrap();
        other.advance(&StepOptions::default()).unwrap();
    }
    assert!(one.bodies.len() == 7 && bits(&one) == bits(&other));
    let wrong = text.replace("end_radii = [0.1, 0.05]", "end_radii = [0.1, -0.05]");
    assert!(message(&wrong).contains("radii[1]"), "{}", message(&wrong));
    assert!(message(&text.replace("radius = 0.1\nhalf", "half")).contains("radius"));
    let flat = text.replace("[0, 0, 0.2], [0.1, 0.1, 0.3]]", "[0.1, 0.1, 0]]");
    assert!(message(&flat).contains("span a volume"), "{}", message(&flat));
}
