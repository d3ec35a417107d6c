//! Names of rows and columns, as libhdf5 reads them.

use hdf5_metno::types::{FixedAscii, FixedUnicode, TypeDescriptor, VarLenAscii, VarLenUnicode};
use hdf5_metno::{Dataset, Error, File, H5Type};

use crate::hdf5::names::find;

/// The names of the rows and of the columns of the data set called `title`, of that shape, from
/// those of the data sets `there` that hold them.
///
/// # Errors
/// If they are no text, or not as many as rows or columns.
pub(super) fn read(
    file: &File,
    there: &[String],
    (title, shape): (&str, [usize; 2]),
) -> Result<[Option<Vec<String>>; 2], String> {
    let [rows, columns] = find(there, title, shape);
    let of = |name: Option<String>, count| name.map(|name| texts(file, &name, count)).transpose();
    Ok([of(rows, shape[0])?, of(columns, shape[1])?])
}

/// The `count` texts in the data set `name`.
fn texts(file: &File, name: &str, count: usize) -> Result<Vec<String>, String> {
    let wrong = |what: String| format!("data set '{name}', which holds names, {what}");
    let failed = |error: Error| wrong(format!("cannot be read: {error}"));
    let dataset = file.dataset(name).map_err(failed)?;
    let found = dataset.size();
    if found != count {
        return Err(wrong(format!("has {found} entries, but there are {count} rows or columns")));
    }
    let descriptor = dataset.dtype().and_then(|datatype| datatype.to_descriptor());
    let descriptor = descriptor.map_err(failed)?;
    let read = match &descriptor {
        TypeDescriptor::VarLenAscii => of::<VarLenAscii>(&dataset, |text| text.as_bytes().into()),
        TypeDescriptor::VarLenUnicode => {
            of::<VarLenUnicode>(&dataset, |text| text.as_bytes().into())
        }
        TypeDescriptor::FixedAscii(..=64) => ascii::<64>(&dataset),
        TypeDescriptor::FixedAscii(..=4096) => ascii::<4096>(&dataset),
        TypeDescriptor::FixedUnicode(..=64) => unicode::<64>(&dataset),
        TypeDescriptor::FixedUnicode(..=4096) => unicode::<4096>(&dataset),
        TypeDescriptor::Unsigned(_) => of::<u64>(&dataset, |number| number.to_string().into()),
        TypeDescriptor::Integer(_) => of::<i64>(&dataset, |number| number.to_string().into()),
        other => return Err(wrong(format!("holds neither text nor integers, but {other}"))),
    };
    let texts = read.map_err(failed)?.into_iter().map(String::from_utf8);
    texts.collect::<Result<_, _>>().map_err(|_| wrong("is no UTF-8 text".to_owned()))
}

/// The entries of `dataset`, each as `bytes` gives it.
fn of<T: H5Type>(dataset: &Dataset, bytes: fn(&T) -> Vec<u8>) -> Result<Vec<Vec<u8>>, Error> {
    Ok(dataset.read_raw::<T>()?.iter().map(bytes).collect())
}

fn ascii<const N: usize>(dataset: &Dataset) -> Result<Vec<Vec<u8>>, Error> {
    of::<FixedAscii<N>>(dataset, |text| text.as_bytes().into())
}

fn unicode<const N: usize>(dataset: &Dataset) -> Result<Vec<Vec<u8>>, Error> {
    of::<FixedUnicode<N>>(dataset, |text| text.as_bytes().into())
}
