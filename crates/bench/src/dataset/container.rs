//! Columns of numbers in a file: a header that names them, then rows of little-endian `f64`.
//!
//! Pairs with their truth and answers to them are both kept like this. Rows have one length, so that any of them is found by its
//! number, and the whole maps into memory.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use super::DatasetError;

/// The first bytes of every file.
const MAGIC: &[u8; 8] = b"SUPEREGG";
/// Of the format.
const VERSION: u32 = 1;
/// Longest header that is read, in bytes, and longest row, in numbers.
const MOST_HEADER: u32 = 1 << 20;
const MOST_WIDTH: u32 = 1 << 16;

/// A named group of neighbouring numbers in a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Where it begins in a row, in numbers.
    pub offset: usize,
    /// How many numbers it has.
    pub count: usize,
}

/// The fields of a row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Columns {
    fields: Vec<Field>,
}

impl Columns {
    /// Fields one after the other, by name and count.
    pub fn new(fields: &[(&str, usize)]) -> Columns {
        let mut offset = 0;
        let place = |(name, count): &(&str, usize)| {
            let field = Field { name: (*name).to_owned(), offset, count: *count };
            offset += count;
            field
        };
        Columns { fields: fields.iter().map(place).collect() }
    }

    /// All of them, in their order.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// How many numbers a row has.
    pub fn width(&self) -> usize {
        self.fields.iter().map(|field| field.offset + field.count).max().unwrap_or(0)
    }

    /// The field with a name.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// The header of a file with so many rows.
    pub fn header(&self, class: &str, rows: u64) -> Vec<u8> {
        let mut table = Vec::new();
        let text = |to: &mut Vec<u8>, text: &str| {
            to.extend((text.len() as u32).to_le_bytes());
            to.extend(text.as_bytes());
        };
        text(&mut table, class);
        for field in &self.fields {
            text(&mut table, &field.name);
            table.extend((field.offset as u32).to_le_bytes());
            table.extend((field.count as u32).to_le_bytes());
        }
        let length = (32 + table.len()).next_multiple_of(8);
        let mut header = MAGIC.to_vec();
        header.extend(VERSION.to_le_bytes());
        header.extend((length as u32).to_le_bytes());
        header.extend(rows.to_le_bytes());
        header.extend((self.width() as u32).to_le_bytes());
        header.extend((self.fields.len() as u32).to_le_bytes());
        header.extend(table);
        header.resize(length, 0);
        header
    }
}

/// A file that is read row by row.
pub struct Container {
    /// The class of the pairs in it.
    pub class: String,
    /// What a row has.
    pub columns: Columns,
    /// How many rows there are.
    pub rows: u64,
    reader: BufReader<File>,
    name: std::path::PathBuf,
    buffer: Vec<u8>,
}

impl Container {
    /// Reads the header and checks it against the file's length.
    pub fn open(path: &Path) -> Result<Container, DatasetError> {
        let wrong = |reason: &str| DatasetError::content(path, reason);
        let file = File::open(path).map_err(DatasetError::file(path))?;
        let size = file.metadata().map_err(DatasetError::file(path))?.len();
        let mut reader = BufReader::with_capacity(1 << 20, file);
        let mut start = [0; 32];
        reader.read_exact(&mut start).map_err(|_| wrong("too short for a header of 32 bytes"))?;
        let number = |at: usize| u32::from_le_bytes(std::array::from_fn(|index| start[at + index]));
        if &start[..8] != MAGIC {
            return Err(wrong("does not begin with SUPEREGG"));
        }
        if number(8) != VERSION {
            return Err(wrong(&format!("version {} is not known here, 1 is", number(8))));
        }
        let (length, width, count) = (number(12), number(24), number(28));
        let rows = u64::from_le_bytes(std::array::from_fn(|index| start[16 + index]));
        if !(32..=MOST_HEADER).contains(&length) || !(1..=MOST_WIDTH).contains(&width) {
            return Err(wrong("the header's lengths are out of range"));
        }
        let body = rows.checked_mul(8 * u64::from(width)).and_then(|body| body.checked_add(u64::from(length)));
        if body != Some(size) {
            return Err(wrong(&format!("{rows} rows of {width} numbers were expected, but the file has {size} bytes")));
        }
        let mut table = vec![0; length as usize - 32];
        reader.read_exact(&mut table).map_err(DatasetError::file(path))?;
        let (class, columns) = read_table(&table, count, width).ok_or_else(|| wrong("the field table is broken"))?;
        let buffer = vec![0; 8 * width as usize];
        Ok(Container { class, columns, rows, reader, name: path.to_owned(), buffer })
    }

    /// The next row.
    pub fn next_row(&mut self, row: &mut Vec<f64>) -> Result<(), DatasetError> {
        self.reader.read_exact(&mut self.buffer).map_err(DatasetError::file(&self.name))?;
        row.clear();
        row.extend(self.buffer.as_chunks::<8>().0.iter().map(|bytes| f64::from_le_bytes(*bytes)));
        Ok(())
    }
}

fn read_table(mut table: &[u8], count: u32, width: u32) -> Option<(String, Columns)> {
    let number = |table: &mut &[u8]| -> Option<u32> {
        let (bytes, rest) = table.split_first_chunk::<4>()?;
        *table = rest;
        Some(u32::from_le_bytes(*bytes))
    };
    let text = |table: &mut &[u8]| -> Option<String> {
        let length = number(table)? as usize;
        let (bytes, rest) = table.split_at_checked(length)?;
        *table = rest;
        String::from_utf8(bytes.to_vec()).ok()
    };
    let class = text(&mut table)?;
    let mut fields = Vec::new();
    for _ in 0..count {
        let name = text(&mut table)?;
        let (offset, count) = (number(&mut table)?, number(&mut table)?);
        if offset.checked_add(count)? > width {
            return None;
        }
        fields.push(Field { name, offset: offset as usize, count: count as usize });
    }
    Some((class, Columns { fields }))
}
