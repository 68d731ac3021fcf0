//! Text that is not quite XML, as tools that are less strict let it pass, made well-formed without moving a line.
//!
//! Prefixes that no name space is declared for, comments with `--` in them, and an XML declaration that is not the first thing of the file. Each repair
//! is told.

use std::borrow::Cow;

use roxmltree::{Error, TextPos};

use crate::error::{Diagnostic, Place, Severity};
use crate::xml::try_parse;

/// Most repairs of a file.
const MOST: usize = 64;

/// The text, repaired where that is needed and can be done.
pub(crate) fn forgive(text: &str) -> (Cow<'_, str>, Vec<Diagnostic>) {
    let (mut text, mut told) = (Cow::Borrowed(text), Vec::new());
    while told.len() < MOST {
        let Some(Err(error)) = try_parse(&text) else { break };
        let Some((repaired, message)) = repair(&text, &error) else { break };
        let at = Place { file: None, line: error.pos().row.max(1) };
        told.push(Diagnostic { at, element: "robot".into(), severity: Severity::Repaired, message });
        text = Cow::Owned(repaired);
    }
    (text, told)
}

fn repair(text: &str, error: &Error) -> Option<(String, String)> {
    match error {
        Error::UnknownNamespace(prefix, _) if prefix != "xacro" => {
            let name = end_of_root_name(text)?;
            let (before, after) = text.split_at(name);
            let message = format!("no name space is declared for the prefix {prefix}: read as if one were");
            Some((format!("{before} xmlns:{prefix}=\"{prefix}\"{after}"), message))
        }
        Error::InvalidComment(at) => {
            let start = offset(text, *at)? + "<!--".len();
            let inner = text.get(start..)?;
            let inner = &inner[..inner.find("-->")?];
            let filled = format!("{}{}{}", &text[..start], inner.replace('-', "="), &text[start + inner.len()..]);
            Some((filled, "a comment contains \"--\", which XML forbids: left out".into()))
        }
        Error::UnexpectedDeclaration(at) => {
            let start = offset(text, *at)?;
            let end = start + text.get(start..)?.find("?>")? + "?>".len();
            let blank: String = text[start..end].chars().map(|c| if c == '\n' { c } else { ' ' }).collect();
            let filled = format!("{}{blank}{}", &text[..start], &text[end..]);
            Some((filled, "<?xml …?> is not the first thing of the file: left out".into()))
        }
        _ => None,
    }
}

/// The byte that a line and a column mean.
fn offset(text: &str, at: TextPos) -> Option<usize> {
    let line: usize = text.split_inclusive('\n').take(at.row as usize - 1).map(str::len).sum();
    let column: usize = text.get(line..)?.chars().take(at.col as usize - 1).map(char::len_utf8).sum();
    Some(line + column)
}

/// Where the name of the first element ends.
fn end_of_root_name(text: &str) -> Option<usize> {
    let mut at = 0;
    loop {
        let open = at + text[at..].find('<')?;
        let rest = &text[open..];
        let end = match rest {
            _ if rest.starts_with("<!--") => "-->",
            _ if rest.starts_with("<?") => "?>",
            _ => return rest[1..].find([' ', '\t', '\n', '\r', '>', '/']).map(|end| open + 1 + end),
        };
        at = open + rest.find(end)? + end.len();
    }
}
