//! NetCDF's classic format (the appendix of its user guide), by CF's conventions.
//!
//! The slowest coordinate is the record dimension: a record holds its value and a row of each
//! variable, so that the file is written front to back.

use std::collections::HashSet;
use std::io::{self, Write};

use super::{Axis, Direction, Raster};

/// Tags of lists, and codes of types.
const DIMENSION: u32 = 10;
const VARIABLE: u32 = 11;
const ATTRIBUTE: u32 = 12;
const CHAR: u32 = 2;
const DOUBLE: u32 = 6;

/// Bytes of a value.
const VALUE: u64 = 8;

/// A header in the making; CDF-5 has numbers twice as wide as CDF-1.
struct Head {
    bytes: Vec<u8>,
    is_wide: bool,
}

/// The value of an attribute.
enum Attribute {
    Text(String),
    Missing,
}

/// A variable: its name, dimensions and attributes, and its bytes, in a record if it has many.
struct Variable {
    name: String,
    dimensions: Vec<usize>,
    attributes: Vec<(&'static str, Attribute)>,
    bytes: u64,
    is_record: bool,
}

impl Head {
    fn word(&mut self, value: u32) {
        self.bytes.extend(value.to_be_bytes());
    }

    /// A count, size or place.
    fn number(&mut self, value: u64) {
        let narrow = if self.is_wide { 0 } else { 4 };
        self.bytes.extend(&value.to_be_bytes()[narrow..]);
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.bytes.extend(text.as_bytes());
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }

    /// Begins a list, which is nothing but zeros if it is empty.
    fn list(&mut self, tag: u32, count: usize) {
        self.word(if count > 0 { tag } else { 0 });
        self.number(count as u64);
    }

    fn attributes(&mut self, attributes: &[(&'static str, Attribute)]) {
        self.list(ATTRIBUTE, attributes.len());
        for (name, value) in attributes {
            self.text(name);
            match value {
                Attribute::Text(text) => {
                    self.word(CHAR);
                    self.text(text);
                }
                Attribute::Missing => {
                    self.word(DOUBLE);
                    self.number(1);
                    self.bytes.extend(f64::NAN.to_be_bytes());
                }
            }
        }
    }
}

/// Writes all that stands before the records.
pub(super) fn write_head(out: &mut dyn Write, raster: &Raster) -> io::Result<()> {
    let names = names(raster);
    let variables = variables(raster, &names);
    out.write_all(&placed_head(raster, &names, &variables))?;
    for axis in &raster.axes[..raster.axes.len() - 1] {
        for place in 0..axis.nodes.count {
            out.write_all(&axis.nodes.node(place).to_be_bytes())?;
        }
    }
    Ok(())
}

/// The header, whose numbers are wide if those of CDF-1, below 2^31, do not do for all counts and
/// for the places in the first record.
fn placed_head(raster: &Raster, names: &[String], variables: &[Variable]) -> Vec<u8> {
    let of = |length, is_wide| head(raster, names, variables, (length, is_wide));
    let narrow = of(0, false).len() as u64;
    let end = narrow + variables.iter().map(|variable| variable.bytes).sum::<u64>();
    let records = raster.axes.last().map_or(0, |axis| axis.nodes.count as u64);
    if end.max(records) <= i32::MAX as u64 {
        return of(narrow, false);
    }
    of(of(0, true).len() as u64, true)
}

/// The header, with numbers that are wide or not, of so many bytes.
fn head(
    raster: &Raster,
    names: &[String],
    variables: &[Variable],
    (length, is_wide): (u64, bool),
) -> Vec<u8> {
    let mut head = Head { bytes: Vec::new(), is_wide };
    head.bytes.extend(if is_wide { b"CDF\x05" } else { b"CDF\x01" });
    let slowest = raster.axes.len() - 1;
    head.number(raster.axes[slowest].nodes.count as u64);
    head.list(DIMENSION, raster.axes.len());
    for (index, axis) in raster.axes.iter().enumerate() {
        head.text(&names[index]);
        head.number(if index == slowest { 0 } else { axis.nodes.count as u64 });
    }
    head.attributes(&[("Conventions", Attribute::Text("CF-1.8".to_owned()))]);
    head.list(VARIABLE, variables.len());
    let mut place = length;
    for variable in variables {
        head.text(&variable.name);
        head.number(variable.dimensions.len() as u64);
        variable.dimensions.iter().for_each(|&dimension| head.number(dimension as u64));
        head.attributes(&variable.attributes);
        head.word(DOUBLE);
        head.number(variable.bytes);
        head.number(place);
        place += variable.bytes;
    }
    head.bytes
}

/// The variables: coordinates, then values; the first of a record is the last of the coordinates.
fn variables(raster: &Raster, names: &[String]) -> Vec<Variable> {
    let slowest = raster.axes.len() - 1;
    let row: u64 = raster.axes[..slowest].iter().map(|axis| axis.nodes.count as u64).product();
    let mut variables = Vec::with_capacity(names.len());
    for (index, axis) in raster.axes.iter().enumerate() {
        let is_record = index == slowest;
        variables.push(Variable {
            name: names[index].clone(),
            dimensions: vec![index],
            attributes: coordinate(axis, (index, raster.axes.len()), &names[index]),
            bytes: VALUE * if is_record { 1 } else { axis.nodes.count as u64 },
            is_record,
        });
    }
    for (column, name) in raster.columns.iter().zip(&names[slowest + 1..]) {
        let mut attributes = vec![("_FillValue", Attribute::Missing)];
        attributes.extend(long_name(column, name));
        variables.push(Variable {
            name: name.clone(),
            dimensions: (0..=slowest).rev().collect(),
            attributes,
            bytes: VALUE * row,
            is_record: true,
        });
    }
    debug_assert!(variables.is_sorted_by_key(|variable| variable.is_record));
    variables
}

/// The attributes of a coordinate, the `index`th of so many, which the file calls `name`.
fn coordinate(
    axis: &Axis,
    (index, count): (usize, usize),
    name: &str,
) -> Vec<(&'static str, Attribute)> {
    let text = |text: &str| Attribute::Text(text.to_owned());
    let (standard, unit, letter) = match axis.direction {
        Direction::Latitude => ("latitude", "degrees_north", "Y"),
        Direction::Longitude => ("longitude", "degrees_east", "X"),
        // A single one may be a time as well.
        Direction::Straight if count == 1 => ("", "", ""),
        Direction::Straight => ("", "", ["X", "Y", "Z"][index.min(2)]),
    };
    let listed = [("axis", letter), ("standard_name", standard), ("units", unit)];
    let known = listed.into_iter().filter(|(_, value)| !value.is_empty());
    known.map(|(key, value)| (key, text(value))).chain(long_name(&axis.name, name)).collect()
}

/// What is called `name` in the file, in full if that is another name.
fn long_name(full: &str, name: &str) -> Option<(&'static str, Attribute)> {
    (full != name).then(|| ("long_name", Attribute::Text(full.to_owned())))
}

/// Names of the axes and columns as NetCDF and CF take them: letters, digits and underscores, a
/// letter first, all different.
fn names(raster: &Raster) -> Vec<String> {
    let given = raster.axes.iter().map(|axis| &axis.name).chain(&raster.columns);
    let (mut names, mut taken) = (Vec::new(), HashSet::new());
    for name in given {
        let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '_' };
        let mut name: String = name.chars().map(plain).collect();
        if !name.starts_with(|first: char| first.is_ascii_alphabetic()) {
            name.insert(0, 'v');
        }
        let variants = (2..).map(|number| format!("{name}_{number}"));
        let mut all = [name.clone()].into_iter().chain(variants);
        names.push(all.find(|name| taken.insert(name.clone())).expect("there are more numbers"));
    }
    names
}

/// What is written behind the head: records, each when all of it is there.
pub(super) struct Records {
    /// The slowest coordinate, and its node that the next record is of.
    slowest: Axis,
    next: usize,
    /// Nodes of a record.
    nodes: usize,
    /// What is there of it.
    columns: Vec<Vec<f64>>,
}

impl Records {
    pub(super) fn new(raster: &Raster) -> Self {
        let (slowest, others) = raster.axes.split_last().expect("a raster has an axis");
        let nodes = others.iter().map(|axis| axis.nodes.count).product();
        let columns = vec![Vec::new(); raster.columns.len()];
        Self { slowest: slowest.clone(), next: 0, nodes, columns }
    }

    /// Number of columns.
    pub(super) fn columns(&self) -> usize {
        self.columns.len()
    }

    /// Takes the next nodes, and writes the records that are whole.
    pub(super) fn write(&mut self, out: &mut dyn Write, columns: &[Vec<f64>]) -> io::Result<()> {
        let count = columns.first().map_or(0, Vec::len);
        let mut first = 0;
        while first < count {
            let held = self.columns[0].len();
            let end = count.min(first + self.nodes - held);
            for (held, column) in self.columns.iter_mut().zip(columns) {
                held.extend(&column[first..end]);
            }
            first = end;
            if self.columns[0].len() == self.nodes {
                out.write_all(&self.slowest.nodes.node(self.next).to_be_bytes())?;
                for value in self.columns.iter().flatten() {
                    out.write_all(&value.to_be_bytes())?;
                }
                self.columns.iter_mut().for_each(Vec::clear);
                self.next += 1;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{small, written};
    use super::super::{Nodes, RasterFormat};
    use super::*;

    /// What the netCDF library 4.9.0 makes, by `ncgen -3`, of `netcdf small { dimensions: x = 3;
    /// y = UNLIMITED; variables: double x(x); x:axis = "X"; double y(y); y:axis = "Y"; double
    /// mean(y, x); mean:_FillValue = NaN; double a_b(y, x); a_b:_FillValue = NaN; a_b:long_name =
    /// "a/b"; :Conventions = "CF-1.8"; data: ... }`.
    const CDF_1: &str = "\
        43444601000000020000000a000000020000000178000000000000030000000179000000000000000000000c\
        000000010000000b436f6e76656e74696f6e7300000000020000000643462d312e3800000000000b00000004\
        000000017800000000000001000000000000000c000000010000000461786973000000020000000158000000\
        000000060000001800000174000000017900000000000001000000010000000c000000010000000461786973\
        00000002000000015900000000000006000000080000018c000000046d65616e000000020000000100000000\
        0000000c000000010000000a5f46696c6c56616c7565000000000006000000017ff800000000000000000006\
        000000180000019400000003615f62000000000200000001000000000000000c000000020000000a5f46696c\
        6c56616c7565000000000006000000017ff8000000000000000000096c6f6e675f6e616d6500000000000002\
        00000003612f62000000000600000018000001ac3ff00000000000003ff80000000000004000000000000000\
        40240000000000003fe00000000000003ff80000000000004004000000000000bff00000000000007ff80000\
        00000000c008000000000000402c000000000000400c00000000000040120000000000004016000000000000\
        c010000000000000c014000000000000c018000000000000";

    /// The head of what `ncgen -5` makes of it.
    const CDF_5: &str = "\
        4344460500000000000000020000000a00000000000000020000000000000001780000000000000000000003\
        00000000000000017900000000000000000000000000000c0000000000000001000000000000000b436f6e76\
        656e74696f6e730000000002000000000000000643462d312e3800000000000b000000000000000400000000\
        0000000178000000000000000000000100000000000000000000000c00000000000000010000000000000004\
        6178697300000002000000000000000158000000000000060000000000000018000000000000022c00000000\
        0000000179000000000000000000000100000000000000010000000c00000000000000010000000000000004\
        6178697300000002000000000000000159000000000000060000000000000008000000000000024400000000\
        000000046d65616e0000000000000002000000000000000100000000000000000000000c0000000000000001\
        000000000000000a5f46696c6c56616c756500000000000600000000000000017ff800000000000000000006\
        0000000000000018000000000000024c0000000000000003615f620000000000000000020000000000000001\
        00000000000000000000000c0000000000000002000000000000000a5f46696c6c56616c7565000000000006\
        00000000000000017ff800000000000000000000000000096c6f6e675f6e616d650000000000000200000000\
        00000003612f62000000000600000000000000180000000000000264";

    fn hexadecimal(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    #[test]
    fn a_small_file_is_that_of_the_library() {
        let (raster, columns) = small();
        let file = written(RasterFormat::NetCdf, &raster, &columns, 4);
        assert_eq!(hexadecimal(&file), CDF_1);
        let names = names(&raster);
        let variables = variables(&raster, &names);
        let length = CDF_5.len() as u64 / 2;
        assert_eq!(hexadecimal(&head(&raster, &names, &variables, (length, true))), CDF_5);
    }

    #[test]
    fn names_are_those_that_programs_take() {
        let (mut raster, _) = small();
        raster.axes[0].name = "x/1000".to_owned();
        raster.axes[1].name = "2".to_owned();
        raster.columns = ["x 1000", "größe", "x_1000"].map(str::to_owned).to_vec();
        assert_eq!(names(&raster), ["x_1000", "v2", "x_1000_2", "gr__e", "x_1000_3"]);
    }

    #[test]
    fn rows_of_more_than_two_gigabytes_take_wide_numbers() {
        let (mut raster, _) = small();
        let begun = |raster: &Raster| {
            let names = names(raster);
            let head = placed_head(raster, &names, &variables(raster, &names));
            (head[3], head.len())
        };
        raster.axes[0].nodes = Nodes { from: 0.0, to: 1.0, step: 1.0, count: 80_000_000 };
        let (narrow, short) = begun(&raster);
        raster.axes[0].nodes.count = 90_000_000;
        let (wide, long) = begun(&raster);
        assert!((narrow, wide) == (1, 5) && long > short);
    }
}
