//! A rig as a COLLADA 1.4 file: a tree of joint nodes, each with its surfaces in its own frame, so that every program places them alike
//! (controllers, which programs read in different ways, are not used), and matrices over time.

use std::fmt::Write as _;
use std::io::{self, Write};

use glam::{DMat4, DVec3};
use superegg::Pose;

use crate::gltf::normals;
use crate::rig::Rig;

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Rows of a matrix one after the other, as COLLADA has them.
fn matrix(pose: &Pose) -> String {
    let rows =
        DMat4::from_rotation_translation(pose.rotation.normalize(), pose.translation).transpose().to_cols_array();
    rows.map(|value| format!("{value:.9}")).join(" ")
}

fn words(values: &[DVec3]) -> String {
    let numbers: Vec<String> = values.iter().map(|v| format!("{:.7} {:.7} {:.7}", v.x, v.y, v.z)).collect();
    numbers.join(" ")
}

fn source(id: &str, count: usize, text: &str, stride: usize, names: &[&str], kind: &str, array: &str) -> String {
    let parameters: String = names.iter().map(|name| format!("<param name=\"{name}\" type=\"{kind}\"/>")).collect();
    format!(
        "<source id=\"{id}\"><{array} id=\"{id}-array\" count=\"{}\">{text}</{array}><technique_common><accessor source=\"#{id}-array\" \
         count=\"{count}\" stride=\"{stride}\">{parameters}</accessor></technique_common></source>\n",
        count * stride,
    )
}

pub(crate) fn write(rig: &Rig, mut to: impl Write) -> io::Result<()> {
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n\
         <COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" version=\"1.4.1\">\n\
         <asset><contributor><authoring_tool>Superegg</authoring_tool></contributor><created>2026-01-01T00:00:00</created>\
         <modified>2026-01-01T00:00:00</modified><unit name=\"meter\" meter=\"1\"/><up_axis>Z_UP</up_axis></asset>\n\
         <library_effects><effect id=\"skin-effect\"><profile_COMMON><technique sid=\"common\"><lambert><diffuse>\
         <color>0.75 0.5 0.2 1</color></diffuse></lambert></technique></profile_COMMON></effect></library_effects>\n\
         <library_materials><material id=\"skin\" name=\"skin\"><instance_effect url=\"#skin-effect\"/></material></library_materials>\n",
    );
    geometries(rig, &mut text);
    animations(rig, &mut text);
    let _ = writeln!(text, "<library_visual_scenes><visual_scene id=\"scene\" name=\"{}\">", escaped(&rig.name));
    for root in (0..rig.bones.len()).filter(|&bone| rig.bones[bone].parent.is_none()) {
        node(rig, root, &mut text);
    }
    text +=
        "</visual_scene></library_visual_scenes>\n<scene><instance_visual_scene url=\"#scene\"/></scene>\n</COLLADA>\n";
    to.write_all(text.as_bytes())
}

fn geometries(rig: &Rig, text: &mut String) {
    *text += "<library_geometries>\n";
    for (number, piece) in rig.pieces.iter().enumerate() {
        let id = format!("piece{number}");
        let rest = rig.bones[piece.bone].rest;
        let local: Vec<DVec3> = piece.positions.iter().map(|at| rest.inverse_transform_point(*at)).collect();
        let single: Vec<glam::Vec3> = local.iter().map(|at| at.as_vec3()).collect();
        let upright: Vec<DVec3> =
            normals(&single, &piece.triangles).into_iter().map(|n| glam::Vec3::from_array(n).as_dvec3()).collect();
        let _ = writeln!(text, "<geometry id=\"{id}\" name=\"{id}\"><mesh>");
        for (what, values) in [("positions", &local), ("normals", &upright)] {
            *text += &source(
                &format!("{id}-{what}"),
                values.len(),
                &words(values),
                3,
                &["X", "Y", "Z"],
                "float",
                "float_array",
            );
        }
        let corners: Vec<String> = piece.triangles.iter().flatten().map(|corner| corner.to_string()).collect();
        let _ = writeln!(
            text,
            "<vertices id=\"{id}-vertices\"><input semantic=\"POSITION\" source=\"#{id}-positions\"/>\
             <input semantic=\"NORMAL\" source=\"#{id}-normals\"/></vertices>\n\
             <triangles material=\"skin\" count=\"{}\"><input semantic=\"VERTEX\" source=\"#{id}-vertices\" offset=\"0\"/>\
             <p>{}</p></triangles></mesh></geometry>",
            piece.triangles.len(),
            corners.join(" "),
        );
    }
    *text += "</library_geometries>\n";
}

fn animations(rig: &Rig, text: &mut String) {
    if rig.frames.len() < 2 {
        return;
    }
    *text += "<library_animations>\n";
    let times: Vec<String> = rig.frames.iter().map(|frame| frame.time.to_string()).collect();
    for bone in 0..rig.bones.len() {
        let id = format!("bone{bone}");
        let matrices: Vec<String> = rig.frames.iter().map(|frame| matrix(&rig.local(bone, &frame.places))).collect();
        let count = times.len();
        let _ = writeln!(text, "<animation id=\"{id}-animation\">");
        *text += &source(&format!("{id}-times"), count, &times.join(" "), 1, &["TIME"], "float", "float_array");
        *text += &source(
            &format!("{id}-matrices"),
            count,
            &matrices.join(" "),
            16,
            &["TRANSFORM"],
            "float4x4",
            "float_array",
        );
        let linear = vec!["LINEAR"; count].join(" ");
        *text += &source(&format!("{id}-ways"), count, &linear, 1, &["INTERPOLATION"], "name", "Name_array");
        let _ = writeln!(
            text,
            "<sampler id=\"{id}-sampler\"><input semantic=\"INPUT\" source=\"#{id}-times\"/><input semantic=\"OUTPUT\" \
             source=\"#{id}-matrices\"/><input semantic=\"INTERPOLATION\" source=\"#{id}-ways\"/></sampler>\
             <channel source=\"#{id}-sampler\" target=\"{id}/transform\"/></animation>"
        );
    }
    *text += "</library_animations>\n";
}

fn node(rig: &Rig, bone: usize, text: &mut String) {
    let place = matrix(&rig.local(bone, &rig.rest()));
    let name = escaped(&rig.bones[bone].name);
    let _ = writeln!(
        text,
        "<node id=\"bone{bone}\" sid=\"bone{bone}\" name=\"{name}\" type=\"JOINT\"><matrix sid=\"transform\">{place}</matrix>"
    );
    for (number, _) in rig.pieces.iter().enumerate().filter(|(_, piece)| piece.bone == bone) {
        let _ = writeln!(
            text,
            "<instance_geometry url=\"#piece{number}\"><bind_material><technique_common><instance_material symbol=\"skin\" \
             target=\"#skin\"/></technique_common></bind_material></instance_geometry>"
        );
    }
    for child in (0..rig.bones.len()).filter(|&other| rig.bones[other].parent == Some(bone)) {
        node(rig, child, text);
    }
    *text += "</node>\n";
}
