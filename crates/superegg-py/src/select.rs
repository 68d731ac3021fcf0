//! Items of a batch by any index of NumPy's: integers, slices, masks, arrays of indices.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// The places that an index selects, and the dimensions of what is selected.
pub fn select(dims: &[usize], key: &Bound<'_, PyAny>) -> PyResult<(Vec<usize>, Vec<usize>)> {
    static ARANGE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = key.py();
    let count: usize = dims.iter().product();
    let places = ARANGE.import(py, "numpy", "arange")?.call1((count,))?;
    let chosen = places.call_method1("reshape", (dims.to_vec(),))?.get_item(key)?;
    let shape = chosen.getattr("shape")?.extract()?;
    Ok((chosen.call_method0("ravel")?.call_method0("tolist")?.extract()?, shape))
}
