//! Valid files of every format, changed at random: never a panic, never an allocation that the file's size does not explain.
//!
//! Bytes are changed, ranges deleted, doubled, exchanged or taken from a file of another format, and numbers replaced by hostile ones.
//! A test that does not end is a hang.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::path::Path;

use superegg_io::parse_mesh;

/// The system's allocator, with a note of each thread's largest request.
struct Watched;

thread_local! {
    static LARGEST: Cell<usize> = const { Cell::new(0) };
}

fn note(size: usize) {
    // At a thread's end there is nothing left to note it in.
    let _ = LARGEST.try_with(|largest| largest.set(largest.get().max(size)));
}

// SAFETY: every call is handed on unchanged to the system's allocator, which keeps the contract.
unsafe impl GlobalAlloc for Watched {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(layout.size());
        // SAFETY: the caller's promises are those of this call.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer came from `System`, with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note(size);
        // SAFETY: the pointer came from `System`, with this layout.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Watched = Watched;

/// What a small file may ask for at once: a scene of a million vertices, as instances may make, in a vector that has just doubled.
const MOST: usize = 64 << 20;

/// Text that readers trip over.
const HOSTILE: [&[u8]; 24] = [
    b"4294967295",
    b"4294967296",
    b"-1",
    b"18446744073709551615",
    b"9223372036854775807",
    b"1e308",
    b"-1e400",
    b"NaN",
    b"inf",
    b"0",
    b"999999999",
    b"2147483648",
    b"",
    b"\0",
    b"\xff\xfe",
    b"\n",
    b"\"",
    b"[[[[[[[[",
    b"<node><node>",
    b"&lt;&x;",
    b"property list uint uchar vertex_indices\n",
    b"element face 4000000000\n",
    b"f 1 2 3 1 2 3 1 2 3\n",
    b"facet normal",
];

fn tetrahedron_stl() -> Vec<u8> {
    let corners = [[0f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let mut file = vec![b' '; 80];
    file.extend(4u32.to_le_bytes());
    for triangle in [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]] {
        file.extend([0u8; 12]);
        triangle.iter().for_each(|&v: &usize| corners[v].iter().for_each(|c| file.extend(c.to_le_bytes())));
        file.extend([0u8; 2]);
    }
    file
}

fn ply(kind: &str, number: fn(f32) -> Vec<u8>, index: fn(u8, u32) -> Vec<u8>) -> Vec<u8> {
    let head = "element vertex 4\nproperty float x\nproperty float y\nproperty float z\nproperty uchar red\n\
                element face 2\nproperty list uchar uint vertex_indices\nend_header\n";
    let mut file = format!("ply\nformat {kind} 1.0\ncomment a square\n{head}").into_bytes();
    for corner in [[0f32, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.5]] {
        corner.iter().for_each(|&c| file.extend(number(c)));
        file.extend(if kind == "ascii" { b"7\n".to_vec() } else { vec![7] });
    }
    for face in [[0, 1, 2], [0, 2, 3]] {
        file.extend(index(1, 3));
        face.iter().for_each(|&v| file.extend(index(4, v)));
    }
    file
}

fn glb(json: &str, binary: &[u8]) -> Vec<u8> {
    let mut json = json.as_bytes().to_vec();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut file = b"glTF".to_vec();
    file.extend(2u32.to_le_bytes());
    file.extend((28 + json.len() as u32 + binary.len() as u32).to_le_bytes());
    for (chunk, kind) in [(&json[..], b"JSON"), (binary, b"BIN\0")] {
        file.extend((chunk.len() as u32).to_le_bytes());
        file.extend(kind);
        file.extend(chunk);
    }
    file
}

/// One valid file of each kind.
fn files() -> Vec<(&'static str, Vec<u8>)> {
    let gltf = r#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0,1]}],"nodes":[{"mesh":0},{"mesh":0,"scale":[-1,1,1]}],
"meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}],"accessors":[{"bufferView":0,"componentType":5126,
"count":3,"type":"VEC3","min":[0,0,-1],"max":[1,0,0]},{"bufferView":1,"componentType":5123,"count":3,"type":"SCALAR"}],
"bufferViews":[{"buffer":0,"byteLength":36},{"buffer":0,"byteOffset":36,"byteLength":6}],"buffers":[{"byteLength":42}]}"#;
    let mut binary: Vec<u8> =
        [0f32, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, -1.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    binary.extend([0u16, 1, 2, 0].iter().flat_map(|i| i.to_le_bytes()));
    use base64::Engine;
    let uri =
        format!("data:application/octet-stream;base64,{}", base64::engine::general_purpose::STANDARD.encode(&binary));
    let dae = r##"<COLLADA version="1.4.1"><asset><unit meter="0.01"/><up_axis>Z_UP</up_axis></asset><library_geometries>
<geometry id="g"><mesh><source id="p"><float_array>0 0 0 1 0 0 1 1 0 0 1 0</float_array></source><vertices id="v">
<input semantic="POSITION" source="#p"/></vertices><polylist><input semantic="VERTEX" source="#v" offset="0"/>
<vcount>4</vcount><p>0 1 2 3</p></polylist><triangles><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles>
</mesh></geometry></library_geometries><library_visual_scenes><visual_scene><node id="n"><matrix>1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</matrix>
<instance_geometry url="#g"/></node><node><instance_node url="#n"/></node></visual_scene></library_visual_scenes></COLLADA>"##;
    let ascii_stl = "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 1 1 0.5\nendloop\nendfacet\nendsolid s\n";
    vec![
        ("a.ply", ply("ascii", |x| format!("{x} ").into_bytes(), |_, v| format!("{v} ").into_bytes())),
        (
            "b.ply",
            ply(
                "binary_little_endian",
                |x| x.to_le_bytes().to_vec(),
                |n, v| v.to_le_bytes()[..usize::from(n)].to_vec(),
            ),
        ),
        (
            "c.ply",
            ply(
                "binary_big_endian",
                |x| x.to_be_bytes().to_vec(),
                |n, v| v.to_be_bytes()[4 - usize::from(n)..].to_vec(),
            ),
        ),
        ("a.obj", b"v 0 0 0\nv 1 0 0\nvn 0 0 1\nv 1 1 0.5\nv 0 1 0\nf 1/1/1 2//1 -2 4\nf 1 2 3\n".to_vec()),
        ("a.stl", ascii_stl.into()),
        ("b.stl", tetrahedron_stl()),
        ("a.dae", dae.into()),
        ("a.glb", glb(gltf, &binary)),
        ("a.gltf", gltf.replace("\"byteLength\":42", &format!("\"byteLength\":42,\"uri\":\"{uri}\"")).into()),
        ("a.xyz", b"x y z\n1 2 3\n4,5,6\n7;8;9 255\n".to_vec()),
    ]
}

/// Changes a file in one to four ways.
fn mutate(rng: &mut fastrand::Rng, file: &[u8], other: &[u8]) -> Vec<u8> {
    let mut bytes = file.to_vec();
    for _ in 0..rng.usize(1..=4) {
        if bytes.is_empty() {
            break;
        }
        let at = rng.usize(0..bytes.len());
        let end = (at + rng.usize(1..=24)).min(bytes.len());
        match rng.u8(0..8) {
            0 => bytes[at] = rng.u8(..),
            1 => bytes[at] ^= 1 << rng.u8(0..8),
            2 => drop(bytes.drain(at..end)),
            3 => {
                let copy = bytes[at..end].repeat(rng.usize(1..=40));
                bytes.splice(at..at, copy);
            }
            4 => bytes.truncate(at),
            5 => {
                let from = rng.usize(0..other.len());
                let piece = other[from..(from + 30).min(other.len())].to_vec();
                bytes.splice(at..end, piece);
            }
            // A number, or whatever word is there, becomes hostile.
            _ => {
                let word = |b: &u8| b.is_ascii_alphanumeric() || b"+-.".contains(b);
                let start = bytes[..at].iter().rposition(|b| !word(b)).map_or(0, |k| k + 1);
                let stop = bytes[at..].iter().position(|b| !word(b)).map_or(bytes.len(), |k| at + k);
                bytes.splice(start..stop.max(start), HOSTILE[rng.usize(0..HOSTILE.len())].to_vec());
            }
        }
    }
    bytes
}

fn change_and_read(rounds: usize, seed: u64) {
    let files = files();
    for (name, bytes) in &files {
        parse_mesh(Path::new(name), bytes).unwrap();
    }
    let mut rng = fastrand::Rng::with_seed(seed);
    for _ in 0..rounds {
        let (name, bytes) = &files[rng.usize(0..files.len())];
        let other = &files[rng.usize(0..files.len())].1;
        let changed = mutate(&mut rng, bytes, other);
        LARGEST.set(0);
        let read = parse_mesh(Path::new(name), &changed);
        let largest = LARGEST.get();
        assert!(largest <= MOST, "{name}: {largest} bytes at once for {} bytes of {changed:?}", changed.len());
        if let Err(error) = read {
            assert!(error.to_string().starts_with(name), "{error}");
        }
    }
}

#[test]
fn changed_files_are_read_or_refused() {
    change_and_read(20_000, 18);
}

#[test]
#[ignore = "a minute: run by `cargo xtask long`"]
fn many_changed_files_are_read_or_refused() {
    change_and_read(2_000_000, 19);
}

#[test]
fn deep_trees_are_refused() {
    for depth in [1_000, 300_000] {
        let dae = ["<COLLADA>", &"<node>".repeat(depth), &"</node>".repeat(depth), "</COLLADA>"].concat();
        assert!(parse_mesh(Path::new("deep.dae"), dae.as_bytes()).is_ok_and(|mesh| mesh.triangles().is_empty()));
        let scene =
            dae.replacen("<node>", "<visual_scene><node>", 1).replace("</COLLADA>", "</visual_scene></COLLADA>");
        let refused = parse_mesh(Path::new("deep.dae"), scene.as_bytes()).unwrap_err().to_string();
        assert!(refused.contains("nested deeper"), "{refused}");
        let gltf = ["{\"asset\":", &"[".repeat(depth)].concat();
        assert!(parse_mesh(Path::new("deep.gltf"), gltf.as_bytes()).is_err());
    }
}

/// Nodes that all name the one after them twice: two to the power of their number of instances.
#[test]
fn instances_of_instances_end() {
    let (_, dae) = files().into_iter().find(|(name, _)| *name == "a.dae").unwrap();
    let doubling: String = (0..40)
        .map(|k| {
            format!("<node id=\"d{k}\"><instance_node url=\"#d{0}\"/><instance_node url=\"#d{0}\"/></node>", k + 1)
        })
        .collect();
    let last = "<node id=\"d40\"><instance_geometry url=\"#g\"/></node>";
    let dae = String::from_utf8(dae).unwrap().replace("<visual_scene>", &format!("<visual_scene>{doubling}{last}"));
    LARGEST.set(0);
    let refused = parse_mesh(Path::new("bomb.dae"), dae.as_bytes()).unwrap_err().to_string();
    assert!(refused.contains("million") || refused.contains("more than"), "{refused}");
    assert!(LARGEST.get() <= MOST);
}
