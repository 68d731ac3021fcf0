//! A JSON value that knows the way to itself.

use std::fmt;

use super::node::{Name, Node};
use super::{Kind, Refusal, did_you_mean, shorten};

/// The way from the top of the document to a value.
#[derive(Clone, Copy, Debug)]
enum Path<'n> {
    Top,
    Named(&'n Path<'n>, &'n str),
    Item(&'n Path<'n>, usize),
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        match *self {
            Path::Top => Ok(()),
            Path::Named(Path::Top, name) => formatter.write_str(&shorten(name)),
            Path::Named(parent, name) => write!(formatter, "{parent}.{}", shorten(name)),
            Path::Item(parent, index) => write!(formatter, "{parent}[{index}]"),
        }
    }
}

/// A value and the way to it.
#[derive(Clone, Copy, Debug)]
pub struct Field<'n> {
    node: &'n Node<'n>,
    path: Path<'n>,
}

impl fmt::Display for Field<'_> {
    /// Writes the path, such as `a.exponents[0]`.
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        self.path.fmt(formatter)
    }
}

impl<'n> Field<'n> {
    /// The document as a whole.
    pub fn top(node: &'n Node<'n>) -> Field<'n> {
        Field { node, path: Path::Top }
    }

    /// The value itself.
    pub fn node(&self) -> &'n Node<'n> {
        self.node
    }

    /// Another value in the same place.
    pub fn with_node<'m>(&self, node: &'m Node<'m>) -> Field<'m>
    where
        'n: 'm,
    {
        Field { node, path: self.path }
    }

    /// Refuses this value.
    pub fn refuse(&self, kind: Kind, message: impl fmt::Display) -> Refusal {
        let field = Some(self.path.to_string()).filter(|path| !path.is_empty());
        Refusal { kind, field, message: message.to_string() }
    }

    fn mistyped(&self, expected: &str) -> Refusal {
        self.refuse(Kind::InvalidInput, format!("expected {expected}, found {}", self.node.type_name()))
    }

    /// A finite number.
    pub fn number(&self) -> Result<f64, Refusal> {
        match *self.node {
            Node::Number(value) => Ok(value),
            _ => Err(self.mistyped("a number")),
        }
    }

    /// A whole number that fits 32 bits.
    pub fn count(&self) -> Result<u32, Refusal> {
        let value = self.number()?;
        if value.fract() != 0.0 || !(0.0..=f64::from(u32::MAX)).contains(&value) {
            return Err(self.refuse(Kind::InvalidInput, format!("{value} is not a whole number in [0, {}]", u32::MAX)));
        }
        Ok(value as u32)
    }

    /// `true` or `false`.
    pub fn truth(&self) -> Result<bool, Refusal> {
        match self.node {
            Node::Bool(value) => Ok(*value),
            _ => Err(self.mistyped("true or false")),
        }
    }

    /// A string.
    pub fn text(&self) -> Result<&'n str, Refusal> {
        match self.node {
            Node::Text(text) => Ok(text),
            _ => Err(self.mistyped("a string")),
        }
    }

    /// A list of exactly `N` values, each read by `read`. `what` names them for people: `numbers`.
    pub fn list<T: Copy + Default, const N: usize>(
        &self,
        what: &str,
        read: impl Fn(&Field) -> Result<T, Refusal>,
    ) -> Result<[T; N], Refusal> {
        let Node::List(items) = self.node else {
            return Err(self.mistyped(&format!("a list of {N} {what}")));
        };
        if items.len() != N {
            let message = format!("expected a list of {N} {what}, found {} values", items.len());
            return Err(self.refuse(Kind::InvalidInput, message));
        }
        let mut values = [T::default(); N];
        for (index, (value, node)) in values.iter_mut().zip(items).enumerate() {
            *value = read(&Field { node, path: Path::Item(&self.path, index) })?;
        }
        Ok(values)
    }

    /// The values of a list of any length. `what` names them for people: `bodies`.
    pub fn items(&'n self, what: &str) -> Result<Vec<Field<'n>>, Refusal> {
        let Node::List(items) = self.node else {
            return Err(self.mistyped(&format!("a list of {what}")));
        };
        let item = |(index, node)| Field { node, path: Path::Item(&self.path, index) };
        Ok(items.iter().enumerate().map(item).collect())
    }

    /// A list of exactly `N` finite numbers.
    pub fn numbers<const N: usize>(&self) -> Result<[f64; N], Refusal> {
        self.list("numbers", |item| item.number())
    }

    /// An object.
    pub fn object(&'n self) -> Result<Object<'n>, Refusal> {
        match self.node {
            Node::Object(entries) => Ok(Object { field: self, entries }),
            _ => Err(self.mistyped("an object")),
        }
    }
}

/// The fields of an object.
#[derive(Clone, Copy, Debug)]
pub struct Object<'n> {
    field: &'n Field<'n>,
    entries: &'n [(Name<'n>, Node<'n>)],
}

impl<'n> Object<'n> {
    /// The field of this name, where there is one.
    pub fn get(&self, name: &'static str) -> Option<Field<'n>> {
        let (_, node) = self.entries.iter().find(|(found, _)| found == name)?;
        Some(Field { node, path: Path::Named(&self.field.path, name) })
    }

    /// The field of this name; refused when missing.
    pub fn require(&self, name: &'static str) -> Result<Field<'n>, Refusal> {
        self.get(name).ok_or_else(|| self.child(name).refuse(Kind::InvalidInput, "this field is missing"))
    }

    /// Refuses a field that is not in the table, and a field that comes twice. `what` names the object for people.
    pub fn allow_only(&self, what: &str, known: &[&'static str]) -> Result<(), Refusal> {
        let mut seen = 0u32;
        for (name, _) in self.entries {
            let refuse = |message: String| Err(self.child(name).refuse(Kind::InvalidInput, message));
            let Some(index) = known.iter().position(|known| known == name) else {
                return refuse(match did_you_mean(name, known) {
                    Some(meant) => format!("{what} has no such field; did you mean `{meant}`?"),
                    None => format!("{what} has no such field; it has {}", known.join(", ")),
                });
            };
            if seen & (1 << index) != 0 {
                return refuse("this field comes twice".to_owned());
            }
            seen |= 1 << index;
        }
        Ok(())
    }

    /// The path of a field, whether or not it exists.
    fn child(&self, name: &'n str) -> Field<'n> {
        Field { node: &Node::Null, path: Path::Named(&self.field.path, name) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    fn complaint<T: fmt::Debug>(text: &str, read: impl Fn(&Object) -> Result<T, Refusal>) -> (String, String) {
        let node = parse(text.as_bytes()).unwrap();
        let refusal = read(&Field::top(&node).object().unwrap()).unwrap_err();
        assert_eq!(refusal.kind, Kind::InvalidInput);
        (refusal.field.unwrap(), refusal.message)
    }

    #[test]
    fn wrong_types_and_lengths_are_named() {
        let read = |object: &Object| object.require("v")?.numbers::<3>();
        assert_eq!(complaint(r#"{"v":[1,"2",3]}"#, read), ("v[1]".into(), "expected a number, found a string".into()));
        let two = complaint(r#"{"v":[1,2]}"#, read);
        assert_eq!(two, ("v".into(), "expected a list of 3 numbers, found 2 values".into()));
        let boolean = complaint(r#"{"v":true}"#, read);
        assert_eq!(boolean, ("v".into(), "expected a list of 3 numbers, found a boolean".into()));
        assert_eq!(complaint("{}", read), ("v".into(), "this field is missing".into()));
    }

    #[test]
    fn counts_are_whole_and_in_range() {
        let read = |object: &Object| object.require("n")?.count();
        for bad in ["-1", "0.5", "4294967296", "1e300"] {
            let (field, message) = complaint(&format!(r#"{{"n":{bad}}}"#), read);
            assert_eq!(field, "n");
            assert!(message.ends_with("is not a whole number in [0, 4294967295]"), "{message}");
        }
        let node = parse(br#"{"n":4294967295}"#).unwrap();
        assert_eq!(read(&Field::top(&node).object().unwrap()), Ok(u32::MAX));
    }

    #[test]
    fn unknown_and_repeated_fields_are_named() {
        let read = |object: &Object| object.allow_only("a shape", &["radii", "exponents"]);
        let misspelt = complaint(r#"{"raddi":1}"#, read);
        assert_eq!(misspelt, ("raddi".into(), "a shape has no such field; did you mean `radii`?".into()));
        let strange = complaint(r#"{"q":1}"#, read);
        assert_eq!(strange, ("q".into(), "a shape has no such field; it has radii, exponents".into()));
        assert_eq!(complaint(r#"{"radii":1,"radii":1}"#, read), ("radii".into(), "this field comes twice".into()));
        let (field, message) = complaint(&format!(r#"{{"{}":1}}"#, "x".repeat(100_000)), read);
        assert!(field.len() < 100 && message.len() < 100);
    }
}
