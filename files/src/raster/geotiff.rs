//! GeoTIFF: TIFF 6.0, or BigTIFF above 4 GiB, with the tags of OGC's GeoTIFF 1.1 that say where
//! its pixels are, and those by which GDAL names bands and what is missing.
//!
//! Each row is a strip. Strips stand in the file from the south to the north, as the nodes come;
//! their offsets say which is which, so that the picture has north up.

use std::io::{self, Write};

use super::{Direction, Raster, RasterError};

/// Kinds of values, with their bytes.
const ASCII: (u16, u64) = (2, 1);
const SHORT: (u16, u64) = (3, 2);
const LONG: (u16, u64) = (4, 4);
const DOUBLE: (u16, u64) = (12, 8);
const LONG8: (u16, u64) = (16, 8);

/// Bytes of a value.
const VALUE: u64 = 8;
/// Version 1.1, revision 1, of three keys, each with where its value is (here), how many, and it:
/// coordinates are degrees, those of the corners of pixels, and of WGS 84 by its number in EPSG's
/// list.
const KEYS: [u16; 16] = [1, 1, 1, 3, 1024, 0, 1, 2, 1025, 0, 1, 1, 2048, 0, 1, 4326];

/// Refuses what no GeoTIFF holds.
pub(super) fn check(raster: &Raster) -> Result<(), RasterError> {
    let [across, up] = raster.axes.as_slice() else {
        return Err(RasterError::Axes(raster.axes.len()));
    };
    if across.direction == Direction::Latitude || up.direction == Direction::Longitude {
        return Err(RasterError::Turned);
    }
    let bands = raster.columns.len();
    if u16::try_from(bands).is_err() {
        return Err(RasterError::Bands(bands));
    }
    let wide = raster.axes.iter().find(|axis| u32::try_from(axis.nodes.count).is_err());
    wide.map_or(Ok(()), |axis| Err(RasterError::Pixels(axis.name.clone(), axis.nodes.count)))
}

/// Values of an entry.
enum Values {
    /// So many of them, given out one by one: what each is by its number.
    Counted((u16, u64), u64, Box<dyn Fn(u64) -> u64>),
    Doubles(Vec<f64>),
    Text(String),
}

impl Values {
    fn same(kind: (u16, u64), count: u64, value: u64) -> Self {
        Self::Counted(kind, count, Box::new(move |_| value))
    }

    /// Kind, bytes of a value, and how many there are.
    fn shape(&self) -> (u16, u64, u64) {
        match self {
            Self::Counted((kind, size), count, _) => (*kind, *size, *count),
            Self::Doubles(values) => (DOUBLE.0, DOUBLE.1, values.len() as u64),
            Self::Text(text) => (ASCII.0, ASCII.1, text.len() as u64 + 1),
        }
    }

    fn bytes(&self) -> u64 {
        let (_, size, count) = self.shape();
        size * count
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Counted((_, size), count, value) => (0..*count)
                .try_for_each(|place| out.write_all(&value(place).to_le_bytes()[..*size as usize])),
            Self::Doubles(values) => {
                values.iter().try_for_each(|value| out.write_all(&value.to_le_bytes()))
            }
            Self::Text(text) => out.write_all(text.as_bytes()).and_then(|()| out.write_all(&[0])),
        }
    }
}

/// Where what is in a file that begins so, with the widths of its numbers.
struct Form {
    is_big: bool,
}

impl Form {
    /// Bytes of an offset, which also say how many values stand in an entry itself.
    fn word(&self) -> u64 {
        if self.is_big { 8 } else { 4 }
    }

    /// A number as wide as an offset.
    fn number(&self, out: &mut dyn Write, value: u64) -> io::Result<()> {
        out.write_all(&value.to_le_bytes()[..self.word() as usize])
    }

    /// Where the values of `entries` begin that do not stand in them, each at an even place.
    fn first_value(&self, entries: usize) -> u64 {
        let (header, count, entry) = if self.is_big { (16, 8, 20) } else { (8, 2, 12) };
        header + count + entry * entries as u64 + self.word()
    }

    /// Where the pixels begin.
    fn pixels(&self, entries: &[(u16, Values)]) -> u64 {
        let outside = entries.iter().map(|(_, values)| values.bytes());
        let outside = outside.filter(|&bytes| bytes > self.word());
        let end = self.first_value(entries.len())
            + outside.map(|bytes| bytes.next_multiple_of(8)).sum::<u64>();
        end.next_multiple_of(VALUE)
    }
}

/// Writes all that stands before the pixels.
pub(super) fn write_head(out: &mut dyn Write, raster: &Raster) -> io::Result<()> {
    let pixels = VALUE * raster.columns.len() as u64 * raster.nodes() as u64;
    let small = Form { is_big: false };
    let head = small.pixels(&entries(raster, &small, 0));
    let form = Form { is_big: head.saturating_add(pixels) > u32::MAX.into() };
    let first = form.pixels(&entries(raster, &form, 0));
    let entries = entries(raster, &form, first);
    if form.is_big {
        out.write_all(b"II\x2b\0\x08\0\0\0")?;
        form.number(out, 16)?;
        out.write_all(&(entries.len() as u64).to_le_bytes())?;
    } else {
        out.write_all(b"II\x2a\0")?;
        form.number(out, 8)?;
        out.write_all(&(entries.len() as u16).to_le_bytes())?;
    }
    let mut place = form.first_value(entries.len()).next_multiple_of(8);
    for (tag, values) in &entries {
        let (kind, _, count) = values.shape();
        out.write_all(&tag.to_le_bytes())?;
        out.write_all(&kind.to_le_bytes())?;
        form.number(out, count)?;
        let bytes = values.bytes();
        if bytes > form.word() {
            form.number(out, place)?;
            place += bytes.next_multiple_of(8);
        } else {
            values.write(out)?;
            out.write_all(&[0; 8][..(form.word() - bytes) as usize])?;
        }
    }
    form.number(out, 0)?;
    let start = form.first_value(entries.len());
    fill(out, start)?;
    for (_, values) in entries.iter().filter(|(_, values)| values.bytes() > form.word()) {
        values.write(out)?;
        fill(out, values.bytes())?;
    }
    Ok(())
}

/// Zeros up to the next multiple of 8 bytes.
fn fill(out: &mut dyn Write, bytes: u64) -> io::Result<()> {
    out.write_all(&[0; 8][..(bytes.next_multiple_of(8) - bytes) as usize])
}

/// The entries of the directory, by tag, of a file whose pixels begin at `first`.
fn entries(raster: &Raster, form: &Form, first: u64) -> Vec<(u16, Values)> {
    let (across, up) = (&raster.axes[0], &raster.axes[1]);
    let [width, height] = [across, up].map(|axis| axis.nodes.count as u64);
    let bands = raster.columns.len() as u64;
    let row = VALUE * bands * width;
    let word = if form.is_big { LONG8 } else { LONG };
    let corner = [across.nodes.from - across.nodes.step / 2.0, up.nodes.to + up.nodes.step / 2.0];
    // Strips from the north, which are the last in the file.
    let offset = move |strip: u64| first + (height - 1 - strip) * row;
    let mut entries = vec![
        // Width and height.
        (256, Values::same(LONG, 1, width)),
        (257, Values::same(LONG, 1, height)),
        // Bits of a value, no compression, black is zero.
        (258, Values::same(SHORT, bands, 8 * VALUE)),
        (259, Values::same(SHORT, 1, 1)),
        (262, Values::same(SHORT, 1, 1)),
        (273, Values::Counted(word, height, Box::new(offset))),
        (277, Values::same(SHORT, 1, bands)),
        (278, Values::same(LONG, 1, 1)),
        (279, Values::same(word, height, row)),
        // The values of a pixel together.
        (284, Values::same(SHORT, 1, 1)),
    ];
    if bands > 1 {
        // Those after the first are of no colour.
        entries.push((338, Values::same(SHORT, bands - 1, 0)));
    }
    entries.extend([
        // Floating point.
        (339, Values::same(SHORT, bands, 3)),
        (33550, Values::Doubles(vec![across.nodes.step, up.nodes.step, 0.0])),
        (33922, Values::Doubles(vec![0.0, 0.0, 0.0, corner[0], corner[1], 0.0])),
    ]);
    if up.direction == Direction::Latitude {
        let key = |place: u64| KEYS[place as usize].into();
        entries.push((34735, Values::Counted(SHORT, KEYS.len() as u64, Box::new(key))));
    }
    entries.extend([
        (42112, Values::Text(metadata(&raster.columns))),
        (42113, Values::Text("nan".to_owned())),
    ]);
    entries
}

/// The names of bands, as GDAL writes them.
fn metadata(columns: &[String]) -> String {
    let mut text = String::from("<GDALMetadata>\n");
    for (sample, name) in columns.iter().enumerate() {
        let name = name.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        text += &format!(
            "  <Item name=\"DESCRIPTION\" sample=\"{sample}\" role=\"description\">{name}</Item>\n"
        );
    }
    text + "</GDALMetadata>\n"
}

/// Writes pixels.
pub(super) fn write(out: &mut dyn Write, columns: &[Vec<f64>]) -> io::Result<()> {
    let nodes = columns.first().map_or(0, Vec::len);
    for node in 0..nodes {
        columns.iter().try_for_each(|column| out.write_all(&column[node].to_le_bytes()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::tests::{small, written};
    use super::super::{Axis, Nodes, RasterFormat};
    use super::*;

    /// The number of so many bytes at `place`.
    fn number(file: &[u8], place: usize, bytes: usize) -> u64 {
        let mut word = [0; 8];
        word[..bytes].copy_from_slice(&file[place..place + bytes]);
        u64::from_le_bytes(word)
    }

    /// Kind, count and first bytes of the values of `tag`.
    fn entry(file: &[u8], tag: u64) -> (u64, u64, &[u8]) {
        let is_big = file[2] == 43;
        let (word, size) = if is_big { (8, 20) } else { (4, 12) };
        let (start, count) =
            if is_big { (24, number(file, 16, 8)) } else { (10, number(file, 8, 2)) };
        let mut places = (0..count as usize).map(|index| start + size * index);
        let place = places.find(|&place| number(file, place, 2) == tag).expect("the tag");
        let (kind, count) = (number(file, place + 2, 2), number(file, place + 4, word));
        let bytes = [0, 1, 1, 2, 4, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 8][kind as usize] * count;
        let mut at = place + 4 + word;
        if bytes > word as u64 {
            at = number(file, at, word) as usize;
        }
        (kind, count, &file[at..(at + bytes as usize).min(file.len())])
    }

    fn doubles(bytes: &[u8]) -> Vec<f64> {
        let each = bytes.chunks_exact(8);
        each.map(|b| f64::from_le_bytes(b.try_into().expect("8 bytes"))).collect()
    }

    /// GDAL says the same of this file, and reads its values so.
    #[test]
    fn rows_stand_from_the_south_and_are_found_from_the_north() {
        let (raster, columns) = small();
        let file = written(RasterFormat::GeoTiff, &raster, &columns, 4);
        assert_eq!(&file[..10], b"II\x2a\0\x08\0\0\0\x10\0");
        let offsets = entry(&file, 273);
        assert_eq!((offsets.0, offsets.1), (4, 2));
        let [north, south] = [0, 4].map(|place| number(offsets.2, place, 4) as usize);
        assert_eq!((north - south, file.len() - north, south % 8), (48, 48, 0));
        let values = doubles(&file[south..north]);
        assert_eq!((values[0], values[1], values[2]), (0.5, -1.0, 1.5));
        assert!(values[3].is_nan());
        assert_eq!(doubles(&file[north..]), [3.5, -4.0, 4.5, -5.0, 5.5, -6.0]);
        assert_eq!(doubles(entry(&file, 33550).2), [0.5, 4.0, 0.0]);
        // The upper left corner, half a step out.
        assert_eq!(doubles(entry(&file, 33922).2), [0.0, 0.0, 0.0, 0.75, 16.0, 0.0]);
        assert_eq!(entry(&file, 42113).2, b"nan\0");
        let names = String::from_utf8(entry(&file, 42112).2.to_vec()).expect("text");
        assert!(names.contains("sample=\"1\" role=\"description\">a/b</Item>"), "{names}");
    }

    #[test]
    fn degrees_say_of_what_they_are() {
        let (mut raster, columns) = small();
        raster.axes[0].direction = Direction::Longitude;
        raster.axes[1].direction = Direction::Latitude;
        let file = written(RasterFormat::GeoTiff, &raster, &columns, 6);
        let (kind, count, keys) = entry(&file, 34735);
        assert_eq!((kind, count), (3, 16));
        let keys: Vec<u64> = keys.chunks_exact(2).map(|key| number(key, 0, 2)).collect();
        let expected = [[1, 1, 1, 3], [1024, 0, 1, 2], [1025, 0, 1, 1], [2048, 0, 1, 4326]];
        assert_eq!(keys, expected.concat());
    }

    #[test]
    fn above_four_gigabytes_it_is_big() {
        let (mut raster, _) = small();
        raster.axes[0].nodes = Nodes { from: 0.0, to: 29_999.0, step: 1.0, count: 30_000 };
        raster.axes[1].nodes.count = 8947;
        let head = |raster: &Raster| {
            let mut out = Vec::new();
            write_head(&mut out, raster).expect("written");
            let rows = raster.axes[1].nodes.count;
            let (_, count, offsets) = entry(&out, 273);
            assert_eq!(count, rows as u64);
            let width = offsets.len() / rows;
            // The last strip is the first in the file, right behind the head.
            assert_eq!(number(offsets, offsets.len() - width, width), out.len() as u64);
            (number(&out, 2, 2), number(offsets, 0, width))
        };
        let row = 30_000 * 2 * 8;
        let (magic, north) = head(&raster);
        assert!(magic == 42 && north + row <= u32::MAX.into());
        raster.axes[1].nodes.count += 1;
        let (magic, north) = head(&raster);
        assert!(magic == 43 && north + row > u32::MAX.into());
    }

    #[test]
    fn what_no_picture_holds_is_refused() {
        let (raster, _) = small();
        let refused = |change: fn(&mut Raster)| {
            let mut raster = raster.clone();
            change(&mut raster);
            check(&raster).map_err(|error| error.to_string())
        };
        assert_eq!(refused(|_| ()), Ok(()));
        let error = |change| refused(change).expect_err("refused");
        assert!(error(|raster| drop(raster.axes.pop())).contains("two coordinates, not 1"));
        let turned = error(|raster| raster.axes[0].direction = Direction::Latitude);
        assert!(turned.contains("longitude first"), "{turned}");
        let bands = error(|raster| raster.columns = vec![String::new(); 65_536]);
        assert!(bands.contains("65535 bands at most, not 65536"), "{bands}");
        let pixels = error(|raster| {
            let nodes = Nodes { count: 1 << 32, ..raster.axes[1].nodes };
            raster.axes[1] = Axis { nodes, ..raster.axes[1].clone() };
        });
        assert!(pixels.contains("4294967295 pixels along y at most"), "{pixels}");
    }
}
