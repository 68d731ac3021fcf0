//! A JSON document as a tree that borrows its strings and keeps repeated fields, so that they can be refused.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::{Kind, Refusal, shorten};

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub enum Node<'t> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// Any number, finite.
    Number(f64),
    /// A string.
    Text(Cow<'t, str>),
    /// A list.
    List(Vec<Node<'t>>),
    /// An object, in the order written, repeated names included.
    Object(Vec<(Name<'t>, Node<'t>)>),
}

/// The name of a field.
pub type Name<'t> = Cow<'t, str>;

impl Node<'_> {
    /// What people call this type of value.
    pub fn type_name(&self) -> &'static str {
        match self {
            Node::Null => "null",
            Node::Bool(_) => "a boolean",
            Node::Number(_) => "a number",
            Node::Text(_) => "a string",
            Node::List(_) => "a list",
            Node::Object(_) => "an object",
        }
    }
}

/// Reads one JSON document that fills the whole text.
pub fn parse(text: &[u8]) -> Result<Node<'_>, Refusal> {
    let text = std::str::from_utf8(text).map_err(|error| {
        Refusal::whole(Kind::Parse, format!("not UTF-8 text from byte {} on", error.valid_up_to() + 1))
    })?;
    serde_json::from_str(text).map_err(|error| explain(text, error))
}

/// Reads a faulty text once more, now keeping track of the field that is being read.
fn explain(text: &str, error: serde_json::Error) -> Refusal {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let field = serde_path_to_error::deserialize::<_, Node>(&mut deserializer)
        .err()
        .map(|tracked| tracked.path().to_string())
        .filter(|path| path != "." && path != "?")
        .map(|path| shorten(&path));
    // The parser closes with "at line 1 column N"; the answer names the line of the whole input itself.
    let whole = error.to_string();
    let reason = whole.rsplit_once(" at line ").map_or(whole.as_str(), |(reason, _)| reason);
    if reason == "number out of range" {
        return Refusal { kind: Kind::InvalidInput, field, message: "the number is too large for f64".to_owned() };
    }
    Refusal { kind: Kind::Parse, field, message: format!("{reason} at column {}", error.column()) }
}

impl<'de: 't, 't> Deserialize<'de> for Node<'t> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Node<'t>, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Node<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Node<'de>, E> {
        Ok(Node::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Node<'de>, E> {
        Ok(Node::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Node<'de>, E> {
        Ok(Node::Number(value as f64))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Node<'de>, E> {
        Ok(Node::Number(value as f64))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Node<'de>, E> {
        Ok(Node::Number(value))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Node<'de>, E> {
        Ok(Node::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Node<'de>, E> {
        Ok(Node::Text(Cow::Borrowed(text)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Node<'de>, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Node::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Node<'de>, A::Error> {
        let mut object = Vec::new();
        while let Some(Node::Text(name)) = entries.next_key()? {
            object.push((name, entries.next_value()?));
        }
        Ok(Node::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> (Kind, Option<String>, String) {
        let Refusal { kind, field, message } = parse(text.as_bytes()).unwrap_err();
        (kind, field, message)
    }

    #[test]
    fn values_of_every_type_are_read() {
        let node = parse(br#"{"n":null,"b":true,"x":-1.5e3,"i":18446744073709551615,"s":"a\u00e9","l":[{}]}"#).unwrap();
        let expected = [
            ("n", Node::Null),
            ("b", Node::Bool(true)),
            ("x", Node::Number(-1500.0)),
            ("i", Node::Number(18446744073709551615.0)),
            ("s", Node::Text("aé".into())),
            ("l", Node::List(vec![Node::Object(vec![])])),
        ];
        assert_eq!(node, Node::Object(expected.map(|(name, value)| (name.into(), value)).to_vec()));
    }

    #[test]
    fn decimal_numbers_are_rounded_correctly() {
        // Parsed with one rounding too many these two come out one unit in the last place off.
        for text in ["1.1234567890123457e-300", "5.0216813883093451685872615018317e-14"] {
            assert_eq!(parse(text.as_bytes()).unwrap(), Node::Number(text.parse().unwrap()));
        }
    }

    #[test]
    fn a_number_beyond_f64_is_refused_by_its_field() {
        let (kind, field, message) = refusal(r#"{"a":{"radii":[1,1e999,1]}}"#);
        assert_eq!((kind, field.as_deref()), (Kind::InvalidInput, Some("a.radii[1]")));
        assert_eq!(message, "the number is too large for f64");
    }

    #[test]
    fn faulty_text_is_refused_with_its_place() {
        let (kind, field, message) = refusal(r#"{"a":{"radii":[1,NaN,1]}}"#);
        assert_eq!((kind, field.as_deref()), (Kind::Parse, Some("a.radii[1]")));
        assert_eq!(message, "expected value at column 18");
        assert_eq!(refusal("{} {}"), (Kind::Parse, None, "trailing characters at column 4".to_owned()));
        assert_eq!(refusal("").0, Kind::Parse);
        let utf8 = parse(b"{\"a\":\"\xff\"}").unwrap_err();
        assert_eq!((utf8.kind, utf8.message.as_str()), (Kind::Parse, "not UTF-8 text from byte 7 on"));
    }

    #[test]
    fn deep_nesting_is_refused_without_exhausting_the_stack() {
        let (kind, field, message) = refusal(&"[".repeat(1_000_000));
        assert_eq!(kind, Kind::Parse);
        assert!(message.starts_with("recursion limit exceeded"), "{message}");
        assert!(field.unwrap().chars().count() <= super::super::LONGEST_QUOTE + 1);
        assert_eq!(refusal(&r#"{"a":"#.repeat(100_000)).0, Kind::Parse);
    }
}
