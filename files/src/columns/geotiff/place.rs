//! Where the pixels of a GeoTIFF are (OGC's GeoTIFF 1.1), and what GDAL says of its bands.

use std::io;

use super::super::{damaged, unreadable};
use super::directory::Directory;
use crate::raster::Nodes;

/// Tags.
const SCALE: u16 = 33550;
const TIE: u16 = 33922;
const TRANSFORMATION: u16 = 34264;
const KEYS: u16 = 34735;
/// Keys: what coordinates are, where 2 is degrees; what they are of, where 2 is centres of pixels.
const MODEL: u64 = 1024;
const RASTER: u64 = 1025;

/// The centres of the pixels along one direction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Centres {
    nodes: Nodes,
    /// Whether they stand in the file from the greatest down.
    pub(super) is_reversed: bool,
}

impl Centres {
    /// Of so many pixels that begin at `start`, each `step` further.
    fn new(start: f64, step: f64, count: u64) -> Self {
        let last = start + step * (count - 1) as f64;
        let (from, to) = if step < 0.0 { (last, start) } else { (start, last) };
        let nodes = Nodes { from, to, step: step.abs(), count: count as usize };
        Self { nodes, is_reversed: step < 0.0 }
    }

    /// The centre of the pixel at `place`, from the least up.
    pub(super) fn at(&self, place: u64) -> f64 {
        self.nodes.node(place as usize)
    }

    /// Where that pixel stands in the file.
    pub(super) fn stored(&self, place: u64) -> u64 {
        if self.is_reversed { self.nodes.count as u64 - 1 - place } else { place }
    }
}

/// Where pixels are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// The centres to the right, and upwards.
    pub(super) centres: [Centres; 2],
    /// Whether they are longitudes and latitudes.
    pub(super) is_in_degrees: bool,
}

impl Place {
    /// Of the pixels of a raster of this width and height.
    pub(super) fn read(directory: &Directory, [width, height]: [u64; 2]) -> io::Result<Self> {
        let keys = directory.unsigned(KEYS)?;
        let key = |wanted: u64| {
            let mut keys = keys.chunks_exact(4).skip(1);
            keys.find(|key| key[0] == wanted && key[1] == 0).map_or(0, |key| key[3])
        };
        let half = if key(RASTER) == 2 { 0.0 } else { 0.5 };
        let [x, dx, y, dy] = transform(directory)?;
        let is_usable = [x, dx, y, dy].iter().all(|value| value.is_finite());
        if !is_usable || dx == 0.0 || dy == 0.0 {
            return Err(damaged(format!(
                "its pixels begin at {x}, {y} and are {dx} by {dy} large"
            )));
        }
        let centres =
            [Centres::new(x + half * dx, dx, width), Centres::new(y + half * dy, dy, height)];
        Ok(Self { centres, is_in_degrees: key(MODEL) == 2 })
    }
}

/// The first corner, or centre, of the first pixel, and the steps to the next: `x, dx, y, dy`.
fn transform(directory: &Directory) -> io::Result<[f64; 4]> {
    let (scale, tie) = (directory.doubles(SCALE)?, directory.doubles(TIE)?);
    if let ([dx, dy, ..], [i, j, _, x, y, _]) = (scale.as_slice(), tie.as_slice()) {
        return Ok([x - i * dx, *dx, y + j * dy, -dy]);
    }
    let matrix = directory.doubles(TRANSFORMATION)?;
    match matrix.as_slice() {
        [dx, across, _, x, down, dy, _, y, ..] if *across == 0.0 && *down == 0.0 => {
            Ok([*x, *dx, *y, *dy])
        }
        [_, _, _, _, _, _, _, _, ..] => Err(unreadable(
            "its rows of pixels are rotated or sheared, and run along no coordinate: make one with \
             north up (gdalwarp IN.tif OUT.tif)",
        )),
        _ if tie.len() > 6 => Err(unreadable(
            "it says where some of its points are, not where its pixels are: make one with north \
             up (gdalwarp IN.tif OUT.tif)",
        )),
        _ => Err(unreadable(
            "it does not say where its pixels are (no geotransform): give it one (gdal_translate \
             -a_ullr LEFT TOP RIGHT BOTTOM IN.tif OUT.tif; a world file beside it is taken)",
        )),
    }
}

/// What GDAL says of a band.
#[derive(Clone, Debug)]
pub(super) struct Band {
    /// Its name, if it has one.
    pub(super) name: Option<String>,
    /// What values are multiplied by, and what is added then.
    pub(super) scale: f64,
    pub(super) offset: f64,
}

/// The items of GDAL's metadata that are of bands, of which there are so many.
pub(super) fn bands(metadata: &str, count: usize) -> Vec<Band> {
    let mut bands = vec![Band { name: None, scale: 1.0, offset: 0.0 }; count];
    for item in metadata.split("<Item ").skip(1) {
        let Some((head, rest)) = item.split_once('>') else { continue };
        let text = rest.split("</Item>").next().unwrap_or("");
        let sample = attribute(head, "sample").and_then(|sample| sample.parse::<usize>().ok());
        let Some(band) = sample.and_then(|sample| bands.get_mut(sample)) else { continue };
        let number = || text.trim().parse::<f64>().ok().filter(|value| value.is_finite());
        match attribute(head, "role") {
            Some("description") if !text.trim().is_empty() => band.name = Some(plain(text)),
            Some("scale") => band.scale = number().unwrap_or(1.0),
            Some("offset") => band.offset = number().unwrap_or(0.0),
            _ => {}
        }
    }
    bands
}

/// The value of an attribute of an XML element.
fn attribute<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.split_once(&format!("{name}=\""))?.1.split('"').next()
}

/// The text that stands in XML.
fn plain(text: &str) -> String {
    let replaced =
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
    replaced.iter().fold(text.trim().to_owned(), |text, (from, to)| text.replace(from, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_of_bands_are_found() {
        let text = "<GDALMetadata>\n <Item name=\"A\">x</Item>\n <Item name=\"DESCRIPTION\" \
                    sample=\"1\" role=\"description\">a &lt; b &amp;amp; c</Item>\n <Item \
                    name=\"SCALE\" sample=\"0\" role=\"scale\">0.1</Item> <Item name=\"OFFSET\" \
                    sample=\"0\" role=\"offset\">nan</Item><Item sample=\"9\" role=\"scale\">2";
        let bands = bands(text, 2);
        assert_eq!(bands[1].name.as_deref(), Some("a < b &amp; c"));
        assert_eq!((bands[0].scale, bands[0].offset, bands[0].name.as_deref()), (0.1, 0.0, None));
    }

    #[test]
    fn centres_run_from_the_least() {
        let down = Centres::new(9.5, -1.0, 3);
        assert_eq!(
            [0, 1, 2].map(|place| (down.at(place), down.stored(place))),
            [(7.5, 2), (8.5, 1), (9.5, 0)]
        );
        let one = Centres::new(0.5, -1.0, 1);
        assert_eq!((one.at(0), one.stored(0)), (0.5, 0));
    }
}
