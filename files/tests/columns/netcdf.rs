//! NetCDF's classic format, made by hand, and such that is refused.

use crate::{columns, read_with, refused};

/// A classic file in the making, of any version.
struct Head {
    version: u8,
    bytes: Vec<u8>,
}

/// An attribute: its name, the code of its kind, its bytes, how many values.
type Attribute<'a> = (&'a str, u32, Vec<u8>, u64);

fn text<'a>(name: &'a str, value: &str) -> Attribute<'a> {
    (name, 2, value.as_bytes().to_vec(), value.len() as u64)
}

fn double(name: &str, value: f64) -> Attribute<'_> {
    (name, 6, value.to_be_bytes().to_vec(), 1)
}

fn short(name: &str, value: i16) -> Attribute<'_> {
    (name, 3, value.to_be_bytes().to_vec(), 1)
}

/// A variable: name, places of its dimensions, attributes, code of its kind, bytes.
type Variable<'a> = (&'a str, Vec<u64>, Vec<Attribute<'a>>, u32, Vec<u8>);

impl Head {
    fn number(&mut self, value: u64) {
        let skipped = if self.version == 5 { 0 } else { 4 };
        self.bytes.extend(&value.to_be_bytes()[skipped..]);
    }

    fn word(&mut self, value: u32) {
        self.bytes.extend(value.to_be_bytes());
    }

    fn padded(&mut self, bytes: &[u8]) {
        self.bytes.extend(bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }

    fn name(&mut self, name: &str) {
        self.number(name.len() as u64);
        self.padded(name.as_bytes());
    }

    fn list(&mut self, tag: u32, count: usize) {
        self.word(if count == 0 { 0 } else { tag });
        self.number(count as u64);
    }

    /// The header, with variables at the places that `begin` has from the first on.
    fn new(
        version: u8,
        dimensions: &[(&str, u64)],
        variables: &[Variable<'_>],
        begin: u64,
    ) -> Self {
        let mut head = Self { version, bytes: vec![b'C', b'D', b'F', version] };
        head.number(0);
        head.list(10, dimensions.len());
        for (name, length) in dimensions {
            head.name(name);
            head.number(*length);
        }
        head.list(12, 0);
        head.list(11, variables.len());
        let mut place = begin;
        for (name, dimensions, attributes, kind, bytes) in variables {
            head.name(name);
            head.number(dimensions.len() as u64);
            dimensions.iter().for_each(|&place| head.number(place));
            head.list(12, attributes.len());
            for (name, kind, bytes, count) in attributes {
                head.name(name);
                head.word(*kind);
                head.number(*count);
                head.padded(bytes);
            }
            head.word(*kind);
            head.number(bytes.len() as u64);
            let skipped = if version == 1 { 4 } else { 0 };
            head.bytes.extend(&place.to_be_bytes()[skipped..]);
            place += bytes.len().next_multiple_of(4) as u64;
        }
        head
    }
}

fn made(version: u8, dimensions: &[(&str, u64)], variables: &[Variable<'_>]) -> Vec<u8> {
    let length = Head::new(version, dimensions, variables, 0).bytes.len() as u64;
    let mut head = Head::new(version, dimensions, variables, length);
    variables.iter().for_each(|(.., bytes)| head.padded(bytes));
    head.bytes
}

fn doubles(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_be_bytes()).collect()
}

fn shorts(values: &[i16]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_be_bytes()).collect()
}

/// A grid of 2 x 3 nodes, packed in 16 bits, with a mask that is repeated and what is no column.
fn grid<'a>() -> Vec<Variable<'a>> {
    let packed =
        vec![short("_FillValue", -9), double("scale_factor", 0.5), double("add_offset", 10.0)];
    let bytes = vec![1, 0xff, 3];
    vec![
        ("crs", vec![], vec![], 4, vec![0; 4]),
        ("z", vec![0, 1], packed, 3, shorts(&[0, 1, -9, 3, -9, 5])),
        ("lon", vec![1], vec![text("bounds", "lon_bnds")], 6, doubles(&[5.0, 6.0, 7.0])),
        ("lon_bnds", vec![1, 2], vec![], 6, doubles(&[0.0; 6])),
        ("lat", vec![0], vec![], 6, doubles(&[50.0, 40.0])),
        ("mask", vec![1], vec![text("_Unsigned", "true")], 1, bytes),
        ("name", vec![1], vec![], 2, b"abc".to_vec()),
    ]
}

const SIZES: [(&str, u64); 3] = [("lat", 2), ("lon", 3), ("nv", 2)];

#[test]
fn grids_are_unpacked_and_what_is_missing_left_out() {
    for version in [1, 2, 5] {
        let table = read_with(&made(version, &SIZES, &grid()), 1 << 20).expect("a grid");
        let expected = [
            ("lon", [5.0, 6.0, 5.0, 7.0]),
            ("lat", [50.0, 50.0, 40.0, 40.0]),
            ("z", [10.0, 10.5, 11.5, 12.5]),
            ("mask", [1.0, 255.0, 1.0, 3.0]),
        ];
        let expected = expected.map(|(name, values)| (name.to_owned(), values.to_vec()));
        assert_eq!(columns(&table), expected, "CDF-{version}");
        let told = "NetCDF, lat = 2, lon = 3, without lon_bnds (other dimensions) (2 nodes without \
                    a value left out)";
        assert_eq!(table.describe(), told);
        assert!(table.row_name(2).ends_with(", node 4"));
    }
}

/// A list of places keeps its rows, and a range says what is a value.
#[test]
fn lists_of_places_keep_their_gaps() {
    let variables: Vec<Variable<'_>> = vec![
        ("x", vec![0], vec![], 6, doubles(&[1.0, 2.0, 3.0])),
        (
            "z",
            vec![0],
            vec![short("missing_value", 7), short("valid_min", 0)],
            3,
            shorts(&[7, 8, -1]),
        ),
    ];
    let table = read_with(&made(2, &[("obs", 3)], &variables), 1 << 20).expect("a list");
    let z = &columns(&table)[1].1;
    assert!(z[0].is_nan() && z[1] == 8.0 && z[2].is_nan(), "{z:?}");
    assert!(table.row_name(2).ends_with(", row 3"));
}

#[test]
fn what_no_table_can_be_made_of_is_refused() {
    let bytes = made(1, &SIZES, &grid());
    for length in 5..bytes.len() - 4 {
        let error = read_with(&bytes[..length], 1 << 20).expect_err("cut short").to_string();
        assert!(error.contains("damaged or was cut short"), "{length}: {error}");
    }
    let scalar: Variable<'_> = ("a", vec![], vec![], 6, doubles(&[1.0]));
    refused(&made(1, &[], &[scalar]), "no variable of it holds numbers over a dimension");
    let bomb = |sizes: &[(&str, u64)], dimensions: Vec<u64>| {
        let variable: Variable<'_> = ("z", dimensions, vec![], 6, doubles(&[1.0]));
        made(5, sizes, &[variable])
    };
    refused(&bomb(&[("y", 1 << 40), ("x", 1 << 40)], vec![0, 1]), "z is endless");
    refused(&bomb(&[("y", 1 << 30), ("x", 1 << 20)], vec![0, 1]), "z ends at byte");
    refused(&bomb(&[("y", 2)], vec![5]), "has the dimension 5");
    refused(&bomb(&[("y", 0)], vec![0]), "its variables over y = 0 hold no value");
    refused(&bomb(&[("y", 0), ("x", 0)], vec![0, 1]), "two dimensions have records");
    let kind: Variable<'_> = ("a", vec![0], vec![], 77, doubles(&[1.0]));
    refused(&made(1, &[("x", 1)], &[kind]), "values of kind 77");
    let missing = ("z", vec![0, 1], vec![], 6, doubles(&[f64::NAN, f64::NAN]));
    refused(&made(1, &[("y", 1), ("x", 2)], &[missing]), "no node of it has a value");
}
