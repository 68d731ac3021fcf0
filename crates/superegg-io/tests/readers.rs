//! COLLADA, glTF and XYZ files: what is read from good ones, and that bad ones are refused without panic, hang or appetite.

use std::path::Path;

use glam::DVec3;
use superegg_io::{UpAxis, parse_mesh, read_mesh_file};

/// A unit square of two triangles at height zero, as COLLADA of centimetres with y up, placed twice.
const DAE: &str = r##"<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
  <asset><unit name="centimeter" meter="0.01"/><up_axis>Y_UP</up_axis></asset>
  <library_geometries>
    <geometry id="square"><mesh>
      <source id="p"><float_array id="a" count="12">0 0 0 100 0 0 100 0 -100 0 0 -100</float_array>
        <technique_common><accessor source="#a" count="4" stride="3"/></technique_common></source>
      <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
      <polylist count="1"><input semantic="VERTEX" source="#v" offset="0"/><input semantic="NORMAL" source="#p" offset="1"/>
        <vcount>4</vcount><p>0 0 1 0 2 0 3 0</p></polylist>
    </mesh></geometry>
  </library_geometries>
  <library_visual_scenes><visual_scene id="s">
    <node><instance_geometry url="#square"/>
      <node><translate>0 200 0</translate><rotate>0 1 0 90</rotate><scale>1 1 2</scale><instance_geometry url="#square"/></node>
    </node>
  </visual_scene></library_visual_scenes>
</COLLADA>"##;

fn near(a: &[DVec3], b: &[[f64; 3]]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.distance(DVec3::from_array(*b)) < 1e-12)
}

#[test]
fn collada_with_units_axes_and_nodes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("square.dae");
    std::fs::write(&path, DAE).unwrap();
    let (mesh, conventions) = read_mesh_file(&path).unwrap();
    assert_eq!((conventions.unit, conventions.up), (Some(0.01), Some(UpAxis::Y)));
    // Metres, z up: -z of the file is y.
    let first = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    assert!(near(&mesh.positions()[..4], &first), "{:?}", mesh.positions());
    // Stretched along the file's z, turned about its y, lifted by two metres.
    let second = [[0.0, 0.0, 2.0], [0.0, 1.0, 2.0], [-2.0, 1.0, 2.0], [-2.0, 0.0, 2.0]];
    assert!(near(&mesh.positions()[4..], &second), "{:?}", mesh.positions());
    assert_eq!(mesh.triangles(), [[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]]);
}

#[test]
fn bad_collada_names_the_line() {
    for (from, to, wanted) in [
        ("<p>0 0 1 0 2 0 3 0</p>", "<p>0 0 1 0 2 0 9 0</p>", "line 10: vertex 9 of 4"),
        ("<vcount>4</vcount>", "<vcount>4000000000</vcount>", "line 10: fewer corners than vcount says"),
        ("meter=\"0.01\"", "meter=\"0\"", "line 3: a unit of 0 metres"),
        ("Y_UP", "W_UP", "line 3: up_axis"),
        ("100 0 -100 0 0 -100", "100 0 -100 0 0 x", "line 6: \"x\" is no number here"),
        ("url=\"#square\"", "url=\"#circle\"", "line 14: there is no \"circle\""),
        ("offset=\"1\"", "offset=\"99999999999\"", "line 9: no offset"),
        ("<translate>0 200 0", "<translate>0 200", "line 15: 2 numbers instead of 3"),
        ("COLLADA", "NOTHING", "line 1: a COLLADA file begins with"),
    ] {
        let text = DAE.replace(from, to);
        let message = parse_mesh(Path::new("bad.dae"), text.as_bytes()).unwrap_err().to_string();
        assert!(message.contains(wanted), "{message}");
    }
    // Nodes that contain themselves, and nodes that double at every level.
    let cycle = DAE.replace("<node><instance", "<node id=\"n\"><instance_node url=\"#n\"/><instance");
    assert!(
        parse_mesh(Path::new("cycle.dae"), cycle.as_bytes()).unwrap_err().to_string().contains("contain themselves")
    );
    let mut levels = String::new();
    for level in 0..60 {
        let next = level + 1;
        let inner = format!("<instance_node url=\"#n{next}\"/>").repeat(2);
        levels += &format!("<node id=\"n{level}\">{inner}</node>");
    }
    levels += "<node id=\"n60\"><instance_geometry url=\"#square\"/></node>";
    let doubling = DAE.replace("<node><instance", &format!("{levels}<node><instance"));
    let message = parse_mesh(Path::new("doubling.dae"), doubling.as_bytes()).unwrap_err().to_string();
    assert!(
        message.contains("nested deeper") || message.contains("a million nodes") || message.contains("more than"),
        "{message}"
    );
}

/// A square as binary glTF.
fn glb(json: &str, binary: &[u8]) -> Vec<u8> {
    let pad = |mut bytes: Vec<u8>, with: u8| {
        bytes.resize(bytes.len().next_multiple_of(4), with);
        bytes
    };
    let (json, binary) = (pad(json.as_bytes().to_vec(), b' '), pad(binary.to_vec(), 0));
    let mut file = b"glTF".to_vec();
    file.extend(2u32.to_le_bytes());
    file.extend((28 + json.len() as u32 + binary.len() as u32).to_le_bytes());
    for (chunk, kind) in [(json, b"JSON"), (binary, b"BIN\0")] {
        file.extend((chunk.len() as u32).to_le_bytes());
        file.extend(kind);
        file.extend(chunk);
    }
    file
}

const GLTF: &str = r#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],
"nodes":[{"mesh":0,"translation":[0,2,0],"children":[1]},{"mesh":0,"scale":[-1,1,1]}],
"meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}],
"accessors":[{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3","min":[0,0,-1],"max":[1,0,0]},
{"bufferView":1,"componentType":5123,"count":6,"type":"SCALAR"}],
"bufferViews":[{"buffer":0,"byteOffset":0,"byteLength":48},{"buffer":0,"byteOffset":48,"byteLength":12}],
"buffers":[{"byteLength":60}]}"#;

fn square_bytes() -> Vec<u8> {
    let positions = [0f32, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0, -1.0];
    let mut bytes: Vec<u8> = positions.iter().flat_map(|x| x.to_le_bytes()).collect();
    bytes.extend([0u16, 1, 2, 0, 2, 3].iter().flat_map(|i| i.to_le_bytes()));
    bytes
}

#[test]
fn gltf_with_nodes_as_text_and_binary() {
    let mesh = parse_mesh(Path::new("square.glb"), &glb(GLTF, &square_bytes())).unwrap();
    let first = [[0.0, 0.0, 2.0], [1.0, 0.0, 2.0], [1.0, 1.0, 2.0], [0.0, 1.0, 2.0]];
    assert!(near(&mesh.positions()[..4], &first), "{:?}", mesh.positions());
    // Mirrored, and so wound the other way round.
    assert_eq!(mesh.triangles(), [[0, 1, 2], [0, 2, 3], [4, 6, 5], [4, 7, 6]]);
    // The same with the buffer in a file beside it.
    let folder = tempfile::tempdir().unwrap();
    let text = GLTF.replace("\"byteLength\":60", "\"byteLength\":60,\"uri\":\"square.bin\"");
    std::fs::write(folder.path().join("square.gltf"), &text).unwrap();
    std::fs::write(folder.path().join("square.bin"), square_bytes()).unwrap();
    let (other, conventions) = read_mesh_file(&folder.path().join("square.gltf")).unwrap();
    assert_eq!(other, mesh);
    assert_eq!((conventions.unit, conventions.up), (Some(1.0), Some(UpAxis::Y)));
}

#[test]
fn bad_gltf_is_refused() {
    for (from, to) in [
        ("\"count\":4", "\"count\":4000000000"),
        ("\"count\":6", "\"count\":7"),
        ("\"byteLength\":60", "\"byteLength\":6000"),
        ("\"byteOffset\":48,\"byteLength\":12", "\"byteOffset\":18446744073709551615,\"byteLength\":12"),
        ("\"children\":[1]", "\"children\":[0]"),
        ("\"children\":[1]", "\"children\":[0,0,0,1]"),
        ("\"componentType\":5123", "\"componentType\":5126"),
        ("\"buffers\":[{", "\"buffers\":[{\"uri\":\"../../etc/passwd\","),
        ("\"buffers\":[{", "\"buffers\":[{\"uri\":\"/etc/passwd\","),
        ("\"buffers\":[{", "\"buffers\":[{\"uri\":\"data:application/octet-stream;base64,@@@@\","),
        ("\"mesh\":0,\"trans", "\"mesh\":7,\"trans"),
    ] {
        assert_ne!(GLTF.replace(from, to), GLTF, "{from}");
        let refused = parse_mesh(Path::new("bad.glb"), &glb(&GLTF.replace(from, to), &square_bytes()));
        assert!(refused.is_err(), "{from} -> {to}");
    }
    let mut bytes = square_bytes();
    bytes[58] = 99;
    let message = parse_mesh(Path::new("bad.glb"), &glb(GLTF, &bytes)).unwrap_err().to_string();
    assert!(message.contains("vertex 99 of 4"), "{message}");
}

#[test]
fn files_cut_or_changed_anywhere_do_not_panic() {
    let whole = glb(GLTF, &square_bytes());
    let xyz = b"1 2 3\n4 5 6\n7 8 9\n".to_vec();
    let files: [(&str, Vec<u8>); 4] =
        [("a.glb", whole), ("a.dae", DAE.into()), ("a.xyz", xyz), ("a.gltf", GLTF.into())];
    for (name, bytes) in &files {
        for len in 0..bytes.len() {
            let _ = parse_mesh(Path::new(name), &bytes[..len]);
        }
        let mut state = 1u64;
        for _ in 0..3000 {
            let mut changed = bytes.clone();
            for _ in 0..3 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let at = (state >> 33) as usize % changed.len();
                changed[at] = (state >> 20) as u8;
            }
            let _ = parse_mesh(Path::new(name), &changed);
        }
    }
}
