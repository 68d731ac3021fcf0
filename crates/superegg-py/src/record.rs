//! Answers: a row of numbers for one question, or an array of such rows for a batch. Attributes are views of its columns: nothing is copied.

use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyEllipsis, PyFloat, PyInt, PySlice};

use crate::threads::Rows;

/// The answers to one question or to a batch.
pub enum Answers {
    /// To one.
    One(Rows),
    /// An array of the batch's dimensions, and one more along the row.
    Many(Py<PyAny>, Vec<usize>),
}

impl Answers {
    /// From rows of `width` numbers.
    pub fn new(py: Python<'_>, rows: Rows, dims: Vec<usize>, width: usize) -> PyResult<Answers> {
        if dims.is_empty() {
            return Ok(Answers::One(rows));
        }
        let array = PyArray1::from_vec(py, rows).reshape([&dims[..], &[width]].concat())?;
        Ok(Answers::Many(array.into_any().unbind(), dims))
    }

    /// The batch's dimensions.
    pub fn dims(&self) -> &[usize] {
        match self {
            Answers::One(_) => &[],
            Answers::Many(_, dims) => dims,
        }
    }

    /// A column: a number, or an array of them.
    pub fn number<'py>(&self, py: Python<'py>, column: usize) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Answers::One(row) => Ok(PyFloat::new(py, row[column]).into_any()),
            Answers::Many(rows, _) => rows.bind(py).get_item((PyEllipsis::get(py), column)),
        }
    }

    /// A column of whole numbers.
    pub fn count<'py>(&self, py: Python<'py>, column: usize) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Answers::One(row) => Ok(PyInt::new(py, row[column] as i64).into_any()),
            Answers::Many(..) => self.number(py, column)?.call_method1("astype", ("i8",)),
        }
    }

    /// A column of truth values.
    pub fn flag<'py>(&self, py: Python<'py>, column: usize) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Answers::One(row) => Ok(PyBool::new(py, row[column] != 0.0).to_owned().into_any()),
            Answers::Many(..) => self.number(py, column)?.call_method1("astype", ("?",)),
        }
    }

    /// A column of members of an enumeration of Python's: the member, or an array of their codes.
    pub fn member<'py>(
        &self,
        py: Python<'py>,
        column: usize,
        enumeration: &'static str,
    ) -> PyResult<Bound<'py, PyAny>> {
        static STATUS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        static IMPACT_STATUS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        match self {
            Answers::One(row) => {
                let cell = if enumeration == "Status" { &STATUS } else { &IMPACT_STATUS };
                cell.import(py, "superegg._status", enumeration)?.call1((row[column] as i64,))
            }
            Answers::Many(..) => self.number(py, column)?.call_method1("astype", ("u1",)),
        }
    }

    /// Columns side by side, as an array of the given shape.
    pub fn numbers<'py>(&self, py: Python<'py>, first: usize, shape: &[usize]) -> PyResult<Bound<'py, PyAny>> {
        let count: usize = shape.iter().product();
        match self {
            Answers::One(row) => {
                let array = PyArray1::from_slice(py, &row[first..first + count]);
                if shape.len() == 1 { Ok(array.into_any()) } else { Ok(array.reshape(shape.to_vec())?.into_any()) }
            }
            Answers::Many(rows, dims) => {
                let columns = PySlice::new(py, first as isize, (first + count) as isize, 1);
                let view = rows.bind(py).get_item((PyEllipsis::get(py), columns))?;
                if shape.len() == 1 { Ok(view) } else { view.call_method1("reshape", ([&dims[..], shape].concat(),)) }
            }
        }
    }
}

/// Writes a row of numbers from its beginning.
pub struct Writer<'a> {
    row: &'a mut [f64],
    at: usize,
}

impl<'a> Writer<'a> {
    /// At the beginning of a row.
    pub fn new(row: &'a mut [f64]) -> Writer<'a> {
        Writer { row, at: 0 }
    }

    /// The next numbers.
    #[inline]
    pub fn put(&mut self, numbers: impl AsRef<[f64]>) -> &mut Self {
        let numbers = numbers.as_ref();
        self.row[self.at..self.at + numbers.len()].copy_from_slice(numbers);
        self.at += numbers.len();
        self
    }

    /// The next number.
    #[inline]
    pub fn one(&mut self, number: f64) -> &mut Self {
        self.put([number])
    }
}

/// A class of answers: its name, the width of its rows, and its attributes with their columns.
#[macro_export]
macro_rules! record {
    (
        $(#[$about:meta])*
        $name:ident[$width:expr] {
            $( $(#[$doc:meta])* $field:ident: $kind:ident($column:expr $(, $shape:expr)?); )*
        }
    ) => {
        $(#[$about])*
        #[pyclass(frozen, module = "superegg")]
        pub struct $name($crate::record::Answers);

        impl $name {
            /// Numbers in a row.
            pub const WIDTH: usize = $width;

            /// From rows.
            pub fn new(py: Python<'_>, rows: $crate::threads::Rows, dims: Vec<usize>) -> PyResult<$name> {
                Ok($name($crate::record::Answers::new(py, rows, dims, $width)?))
            }
        }

        #[pymethods]
        #[allow(clippy::wrong_self_convention, reason = "fields are named as in the library: `from_inside`")]
        impl $name {
            /// The batch's dimensions: ``()`` for one answer.
            #[getter]
            fn batch_shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, pyo3::types::PyTuple>> {
                pyo3::types::PyTuple::new(py, self.0.dims())
            }

            $(
                $(#[$doc])*
                #[getter]
                fn $field<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                    self.0.$kind(py, $column $(, $shape)?)
                }
            )*

            fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
                if !self.0.dims().is_empty() {
                    return Ok(format!("{}(batch_shape={:?})", stringify!($name), self.0.dims()));
                }
                let mut fields = Vec::new();
                $( fields.push(format!("{}={}", stringify!($field), self.$field(py)?.repr()?)); )*
                Ok(format!("{}({})", stringify!($name), fields.join(", ")))
            }
        }
    };
}
