//! What Multibody Sketcher writes, read by programs of others: trimesh (GLB, COLLADA, the meshes of a compatible URDF), pygltflib (skin and
//! animation), MuJoCo (MJCF). They are Python packages; `SUPEREGG_PEERS_PYTHON` names an interpreter that has them. Where one is missing, its
//! part is skipped, and the output says so by name.

use std::path::Path;
use std::process::Command;

use superegg_apps::sketcher::messages::ExportFormat;
use superegg_apps::sketcher::{file, gallery};

const SCRIPT: &str = r#"
import importlib, io, json, pathlib, sys, zipfile
folder = pathlib.Path(sys.argv[1])
facts = json.loads((folder / "facts.json").read_text())

def package(name, needs=()):
    try:
        for other in needs:
            importlib.import_module(other)
        return importlib.import_module(name)
    except ImportError as missing:
        print(f"skipped: {name} ({missing})")

gltf, trimesh, mujoco = package("pygltflib"), package("trimesh", ["collada"]), package("mujoco")
for fact in facts:
    stem, bones, hitboxes = fact["name"], fact["bones"], fact["hitboxes"]
    if gltf:
        read = gltf.GLTF2().load(str(folder / f"{stem}.glb"))
        assert len(read.skins) == 1 and len(read.skins[0].joints) == bones, stem
        names = {read.nodes[k].name for k in read.skins[0].joints}
        assert names == set(fact["bone_names"]), stem
        assert len(read.animations) == 1 and len(read.animations[0].channels) > 0, stem
        times = read.accessors[read.animations[0].samplers[0].input]
        assert abs(times.max[0] - fact["seconds"]) < 1e-4 and times.min[0] == 0, (stem, times.max)
        print(f"pygltflib: {stem}: {bones} joints, {len(read.animations[0].channels)} channels")
    if trimesh:
        for end in ("glb", "dae"):
            scene = trimesh.load(folder / f"{stem}.{end}", force="scene")
            low, high = scene.bounds
            size, wanted = high - low, fact["size"]
            if end == "glb":
                # glTF has y up.
                wanted = [wanted[0], wanted[2], wanted[1]]
            # Hitboxes are tessellated from inside: a hundredth of the size at most.
            assert all(abs(a - b) < 0.02 * max(wanted) for a, b in zip(size, wanted)), (stem, end, size, wanted)
            triangles = sum(len(mesh.faces) for mesh in scene.geometry.values())
            assert triangles > 200 * hitboxes, (stem, end, triangles)
            print(f"trimesh: {stem}.{end}: {triangles} triangles, {size.round(3).tolist()} m")
        with zipfile.ZipFile(folder / f"{stem}.zip") as archive:
            assert archive.testzip() is None
            meshes = [name for name in archive.namelist() if name.endswith(".obj")]
            assert len(meshes) == 2 * hitboxes, (stem, len(meshes))
            one = trimesh.load(io.BytesIO(archive.read(meshes[0])), file_type="obj")
            assert one.is_watertight and one.volume > 0, stem
    if mujoco:
        model = mujoco.MjModel.from_xml_path(str(folder / f"{stem}.xml"))
        assert model.njnt == fact["freedoms"] and model.ngeom == hitboxes, (stem, model.njnt, fact["freedoms"], model.ngeom)
        limits = sorted(round(float(x), 9) for row in model.jnt_range for x in row)
        assert limits == sorted(round(x, 9) for row in fact["limits"] for x in row), stem
        data = mujoco.MjData(model)
        for number, angle in enumerate(fact["angles"]):
            data.qpos[model.jnt_qposadr[mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, fact["joint_names"][number])]] = angle
        mujoco.mj_forward(model, data)
        for name, place in fact["places"].items():
            there = data.xpos[mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, name)]
            assert max(abs(a - b) for a, b in zip(there, place)) < 1e-6, (stem, name, there, place)
        for _ in range(200):
            mujoco.mj_step(model, data)
        assert all(abs(x) < 1e3 for x in data.qpos), stem
        print(f"mujoco {mujoco.__version__}: {stem}: {model.njnt} joints, {model.nbody} bodies, places of a random configuration agree")
"#;

/// What a reader should find.
fn facts(name: &str, creature: &superegg_apps::sketcher::messages::Creature) -> serde_json::Value {
    let text = String::from_utf8(file(creature, ExportFormat::Urdf).unwrap().0).unwrap();
    let robot = superegg_robot::urdf::read(Path::new("x.urdf"), &text, &Default::default()).unwrap().robot;
    let kinematics = superegg_robot::kinematics::Kinematics::new(&robot);
    let angles = kinematics.random(&robot, &mut fastrand::Rng::with_seed(7));
    let poses = kinematics.link_poses(&angles, &superegg_robot::Pose::IDENTITY);
    let places: serde_json::Map<String, serde_json::Value> = creature
        .bones
        .iter()
        .map(|bone| {
            (bone.name.clone(), serde_json::json!(poses[robot.link(&bone.name).unwrap()].translation.to_array()))
        })
        .collect();
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for hitbox in &creature.hitboxes {
        let pose = superegg_robot::Pose::new(
            glam::DQuat::from_array(hitbox.orientation),
            glam::DVec3::from_array(hitbox.position),
        )
        .unwrap();
        let shape = superegg::shape::Superovoid::new(hitbox.radii, hitbox.exponents, hitbox.taper).unwrap();
        for axis in 0..3 {
            let way = pose.inverse_transform_vector(glam::DVec3::AXES[axis]);
            high[axis] = high[axis].max(pose.translation[axis] + shape.support_value(way));
            low[axis] = low[axis].min(pose.translation[axis] - shape.support_value(-way));
        }
    }
    serde_json::json!({
        "name": name,
        "bones": creature.bones.len(),
        "bone_names": creature.bones.iter().map(|bone| &bone.name).collect::<Vec<_>>(),
        "hitboxes": creature.hitboxes.len(),
        "seconds": creature.keys.last().unwrap().time,
        "freedoms": kinematics.freedoms().len(),
        "joint_names": kinematics.freedoms().iter().map(|freedom| &robot.joints[freedom.joint].name).collect::<Vec<_>>(),
        "limits": kinematics.freedoms().iter().map(|freedom| [freedom.lower, freedom.upper]).collect::<Vec<_>>(),
        "angles": angles,
        "places": places,
        "size": [high[0] - low[0], high[1] - low[1], high[2] - low[2]],
    })
}

#[test]
fn other_programs_read_what_is_exported() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sketcher_readers");
    std::fs::create_dir_all(&folder).unwrap();
    let mut all = vec![];
    for creature in gallery() {
        let name = creature.name.to_lowercase();
        for format in [ExportFormat::Glb, ExportFormat::Collada, ExportFormat::Mjcf, ExportFormat::UrdfCompat] {
            let (bytes, end) = file(&creature, format).unwrap();
            std::fs::write(folder.join(format!("{name}.{end}")), bytes).unwrap();
        }
        all.push(facts(&name, &creature));
    }
    std::fs::write(folder.join("facts.json"), serde_json::to_string(&all).unwrap()).unwrap();
    let python = std::env::var("SUPEREGG_PEERS_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let Ok(done) = Command::new(&python).args(["-c", SCRIPT]).arg(&folder).output() else {
        println!("skipped: pygltflib, trimesh, mujoco ({python} does not run)");
        return;
    };
    println!("{}", String::from_utf8_lossy(&done.stdout));
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}
