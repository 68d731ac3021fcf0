//! NumPy's arrays as batches: the one place that reads them.
//!
//! Trailing dimensions are an item (a vector has three numbers), the leading ones are the batch. Batches that meet in a query are broadcast
//! as NumPy does it: aligned at the end, where they are 1 or missing they are repeated.

use glam::DVec3;
use numpy::{PyArray1, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use crate::error::Refusal;

/// Items in the order of their batch, and its dimensions: none for a single item.
#[derive(Clone, Debug)]
pub struct Batch<T> {
    /// The items, the last dimension running fastest.
    pub items: Vec<T>,
    /// The batch's dimensions.
    pub dims: Vec<usize>,
}

impl<T> Batch<T> {
    /// A single item.
    pub fn one(item: T) -> Batch<T> {
        Batch { items: vec![item], dims: Vec::new() }
    }
}

/// An array of numbers, contiguous, as the caller gave it or converted.
pub struct Numbers<'py> {
    array: PyReadonlyArrayDyn<'py, f64>,
    /// The leading dimensions.
    pub dims: Vec<usize>,
    width: usize,
}

impl<'py> Numbers<'py> {
    /// Reads anything that NumPy can make an array of numbers of; its shape has to end in `item`.
    pub fn read(object: &Bound<'py, PyAny>, field: &str, item: &[usize]) -> PyResult<Numbers<'py>> {
        let (array, shape) = contiguous(object, field)?;
        let Some(leading) = shape.len().checked_sub(item.len()).filter(|&at| shape[at..] == *item) else {
            let wanted = if item.is_empty() { "a number".to_owned() } else { format!("(…, {})", listed(item)) };
            return Err(
                Refusal::invalid(field, format!("an array of shape ({}) is not {wanted}", listed(&shape))).into()
            );
        };
        Ok(Numbers { array: array.readonly(), dims: shape[..leading].to_vec(), width: item.iter().product() })
    }

    /// How long the last dimension is, and how many there are, of anything that is an array.
    pub fn shape_of(object: &Bound<'py, PyAny>, field: &str) -> PyResult<Vec<usize>> {
        contiguous(object, field).map(|(_, shape)| shape)
    }

    /// The numbers of all items.
    pub fn values(&self) -> &[f64] {
        self.array.as_slice().expect("made contiguous")
    }

    /// How many numbers an item has.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The items, one after the other.
    pub fn items(&self) -> impl Iterator<Item = &[f64]> {
        self.values().chunks_exact(self.width.max(1))
    }
}

/// An array of `f64` in C order, aligned, and the shape that the caller gave. Nothing is copied where it is one already.
fn contiguous<'py>(object: &Bound<'py, PyAny>, field: &str) -> PyResult<(Bound<'py, PyArrayDyn<f64>>, Vec<usize>)> {
    if let Ok(array) = object.cast::<PyArrayDyn<f64>>()
        && array.is_c_contiguous()
        && array.data().is_aligned()
    {
        return Ok((array.clone(), array.shape().to_vec()));
    }
    let py = object.py();
    static AS_ARRAY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    static REQUIRE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let not_numbers =
        |what: String| PyErr::from(Refusal::invalid(field, format!("{what} is no array of real numbers")));
    let array = AS_ARRAY.import(py, "numpy", "asarray")?.call1((object,));
    let array = array.map_err(|error| not_numbers(error.value(py).to_string()))?;
    let dtype = array.getattr("dtype")?;
    // Floating-point and integer numbers; truth values, complex numbers, text, dates and objects are no coordinates.
    if !"fiu".contains(&dtype.getattr("kind")?.extract::<String>()?) {
        return Err(not_numbers(format!("dtype {dtype}")));
    }
    let shape: Vec<usize> = array.getattr("shape")?.extract()?;
    let array = REQUIRE.import(py, "numpy", "require")?.call1((array, "f8", "CA"))?;
    Ok((array.cast_into::<PyArrayDyn<f64>>()?, shape))
}

fn listed(numbers: &[usize]) -> String {
    let mut text = numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    if numbers.len() == 1 {
        text.push(',');
    }
    text
}

/// Vectors from an array (…, 3).
pub fn vectors(object: &Bound<'_, PyAny>, field: &str) -> PyResult<Batch<DVec3>> {
    let numbers = Numbers::read(object, field, &[3])?;
    Ok(Batch { items: numbers.items().map(DVec3::from_slice).collect(), dims: numbers.dims })
}

/// Vectors, or one zero where nothing is given.
pub fn vectors_or_zero(object: Option<&Bound<'_, PyAny>>, field: &str) -> PyResult<Batch<DVec3>> {
    object.map_or_else(|| Ok(Batch::one(DVec3::ZERO)), |object| vectors(object, field))
}

/// Points that are no batch: an array (n, 3).
pub fn point_list(object: &Bound<'_, PyAny>, field: &str) -> PyResult<Vec<DVec3>> {
    let points = vectors(object, field)?;
    if points.dims.len() != 1 {
        let shape = [&points.dims[..], &[3]].concat();
        return Err(Refusal::invalid(field, format!("an array of shape ({}) is not (n, 3)", listed(&shape))).into());
    }
    Ok(points.items)
}

/// A single vector.
pub fn one_vector(object: &Bound<'_, PyAny>, field: &str) -> PyResult<DVec3> {
    let vectors = vectors(object, field)?;
    match (vectors.dims.as_slice(), vectors.items.as_slice()) {
        ([], [vector]) => Ok(*vector),
        (dims, _) => {
            let shape = listed(&[dims, &[3]].concat());
            Err(Refusal::invalid(field, format!("an array of shape ({shape}) is not one vector (3,)")).into())
        }
    }
}

/// Indices of triangles from an array (n, 3) of whole numbers.
pub fn triangle_list(object: &Bound<'_, PyAny>, field: &str) -> PyResult<Vec<[u32; 3]>> {
    let numbers = Numbers::read(object, field, &[3])?;
    if numbers.dims.len() != 1 {
        let shape = listed(&[&numbers.dims[..], &[3]].concat());
        return Err(Refusal::invalid(field, format!("an array of shape ({shape}) is not (n, 3)")).into());
    }
    let index = |row: usize, value: f64| -> PyResult<u32> {
        let whole = (0.0..=f64::from(u32::MAX)).contains(&value) && value.fract() == 0.0;
        let refused = || Refusal::invalid(format!("{field}[{row}]"), format!("{value} is no index of a vertex"));
        if whole { Ok(value as u32) } else { Err(refused().into()) }
    };
    let rows = numbers.items().enumerate();
    rows.map(|(row, corners)| Ok([index(row, corners[0])?, index(row, corners[1])?, index(row, corners[2])?])).collect()
}

/// An array of the given shape.
pub fn array<'py, T: numpy::Element>(py: Python<'py>, values: Vec<T>, shape: &[usize]) -> PyResult<Bound<'py, PyAny>> {
    Ok(PyArray1::from_vec(py, values).reshape(shape.to_vec())?.into_any())
}

/// An array (…, 3) of vectors.
pub fn array_of_vectors<'py>(py: Python<'py>, vectors: &[DVec3], dims: &[usize]) -> PyResult<Bound<'py, PyAny>> {
    array(py, vectors.iter().flat_map(|vector| vector.to_array()).collect(), &[dims, &[3]].concat())
}

/// How the items of a batch are repeated over the broadcast one.
#[derive(Clone, Debug)]
pub enum Spread {
    /// One item for all.
    One,
    /// Item by item.
    Same,
    /// Sizes of the broadcast dimensions, the last first, and how far apart items are along each.
    Strided(Vec<(usize, usize)>),
}

impl Spread {
    /// The item for a place of the broadcast batch.
    #[inline]
    pub fn index(&self, place: usize) -> usize {
        match self {
            Spread::One => 0,
            Spread::Same => place,
            Spread::Strided(dims) => {
                let (mut rest, mut at) = (place, 0);
                for &(size, stride) in dims {
                    at += rest % size * stride;
                    rest /= size;
                }
                at
            }
        }
    }

    fn new(own: &[usize], all: &[usize]) -> Spread {
        if own.iter().all(|&size| size == 1) {
            return Spread::One;
        }
        if own == all {
            return Spread::Same;
        }
        let mut stride = 1;
        let mut dims = Vec::with_capacity(all.len());
        for (at, &size) in all.iter().rev().enumerate() {
            let own = own.len().checked_sub(at + 1).map_or(1, |from_front| own[from_front]);
            dims.push((size, if own == 1 { 0 } else { stride }));
            stride *= own;
        }
        Spread::Strided(dims)
    }
}

/// The dimensions of several batches together, and how each is spread over them.
pub fn broadcast<const N: usize>(batches: [(&str, &[usize]); N]) -> Result<(Vec<usize>, [Spread; N]), Refusal> {
    let rank = batches.iter().map(|(_, dims)| dims.len()).max().unwrap_or(0);
    let mut all = vec![1; rank];
    for (name, dims) in batches {
        for (size, &own) in all[rank - dims.len()..].iter_mut().zip(dims) {
            match (*size, own) {
                (1, _) => *size = own,
                (_, 1) => {}
                (a, b) if a == b => {}
                _ => {
                    let shapes = batches.map(|(name, dims)| format!("{name} ({})", listed(dims))).join(", ");
                    return Err(Refusal::invalid(name, format!("batches cannot be broadcast together: {shapes}")));
                }
            }
        }
    }
    let spreads = batches.map(|(_, dims)| Spread::new(dims, &all));
    Ok((all, spreads))
}

/// Where an item of a batch is: its index along each dimension.
pub fn unravel(mut place: usize, dims: &[usize]) -> Vec<usize> {
    let mut index = vec![0; dims.len()];
    for (at, &size) in index.iter_mut().zip(dims).rev() {
        *at = place % size.max(1);
        place /= size.max(1);
    }
    index
}
