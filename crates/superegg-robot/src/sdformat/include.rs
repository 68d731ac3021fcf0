//! Models that a model or a world includes, put where they are included.
//!
//! An `<include>` becomes the `<model>` of the file that its `<uri>` names, under the name and at the pose that it gives; the rest of the
//! element goes with it, so that it is reported. An address that leads to no file stays as it is, for the reader to report.

use std::path::Path;
use std::sync::Arc;

use quick_xml::escape::escape;
use roxmltree::Node;

use super::frames::{child_text, element};
use crate::assembled::{Assembled, is_include};
use crate::error::RobotError;
use crate::loaded::ReadOptions;
use crate::mesh_path;
use crate::xml::{Source, elements, parse};

/// A file with all models that it includes.
pub(crate) fn assemble(path: &Path, text: &str, options: &ReadOptions) -> Result<Assembled, RobotError> {
    let document = parse(path, text)?;
    let mut whole = Whole { made: Assembled::default(), main: path, options };
    whole.add(&Source::new(path, text, &[]), document.root(), 0..text.len(), None, None)?;
    Ok(whole.made)
}

struct Whole<'a> {
    made: Assembled,
    main: &'a Path,
    options: &'a ReadOptions,
}

impl Whole<'_> {
    /// Adds a part of a file around `node`, without an element that something else stands for.
    fn add(
        &mut self,
        source: &Source,
        node: Node,
        range: std::ops::Range<usize>,
        file: Option<&Arc<Path>>,
        without: Option<Node>,
    ) -> Result<(), RobotError> {
        let mut at = range.start;
        for inner in node.descendants().filter(|inner| is_include(*inner) || Some(*inner) == without) {
            let found = if Some(inner) == without { None } else { self.find(source, inner) };
            if found.is_none() && Some(inner) != without {
                continue;
            }
            self.made.piece(source.text, at..inner.range().start, file);
            at = inner.range().end;
            if let Some(found) = found {
                self.model(source, inner, file, &found)?;
            }
        }
        self.made.piece(source.text, at..range.end, file);
        Ok(())
    }

    /// Adds the model of another file in the place of the element that includes it.
    fn model(
        &mut self,
        source: &Source,
        include: Node,
        file: Option<&Arc<Path>>,
        found: &Arc<Path>,
    ) -> Result<(), RobotError> {
        let text = self.made.enter(source, include, self.main, found)?;
        let document = parse(found, &text)?;
        let inner = Source::new(found, &text, &[]);
        let root = document.root_element();
        let Some(model) = element(root, "model") else {
            return Err(inner.refuse(root, "has no <model>; a file that is included has one"));
        };
        let name = match child_text(include, "name").filter(|name| !name.is_empty()) {
            Some(name) => name.to_owned(),
            None => inner.require_name(model, "name")?,
        };
        self.made.piece(source.text, include.range().start..include.range().start, file);
        self.made.text.push_str(&format!("<model name=\"{}\">", escape(name.as_str())));
        for child in elements(include).filter(|child| !matches!(child.tag_name().name(), "uri" | "name")) {
            self.made.piece(source.text, child.range(), file);
        }
        if let (Some(first), Some(last)) = (model.first_child(), model.last_child()) {
            let own = element(include, "pose").and_then(|_| element(model, "pose"));
            self.add(&inner, model, first.range().start..last.range().end, Some(found), own)?;
        }
        self.made.text.push_str("</model>");
        self.made.leave();
        Ok(())
    }

    /// The file that an address leads to: itself, or what a model's folder names in its `model.config`.
    fn find(&self, source: &Source, include: Node) -> Option<Arc<Path>> {
        let merged = include.attribute("merge").is_some_and(|value| matches!(value, "1" | "true"));
        let uri = child_text(include, "uri").filter(|uri| !uri.is_empty() && !merged)?.trim_end_matches('/');
        let look = |name: &str| mesh_path::look_for(name, source.path, self.options).ok();
        if let Some(file) = look(uri) {
            return Some(file.as_path().into());
        }
        let named = look(&format!("{uri}/model.config")).and_then(|config| {
            let text = crate::xml::read_text(&config).ok()?;
            let document = parse(&config, &text).ok()?;
            let names = elements(document.root_element()).filter(|node| node.tag_name().name() == "sdf");
            names.last().and_then(|node| node.text()).map(|name| name.trim().to_owned())
        });
        look(&format!("{uri}/{}", named.as_deref().unwrap_or("model.sdf"))).map(|file| file.as_path().into())
    }
}
