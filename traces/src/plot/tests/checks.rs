//! What can be checked of a figure without looking at it.

/// The value of the attribute `name` of the element that starts `piece`.
fn attribute(piece: &str, name: &str) -> Option<f64> {
    let (_, rest) = piece.split_once(&format!(" {name}=\""))?;
    rest.split_once('"')?.0.parse().ok()
}

/// Texts outside tasks that overlap each other or leave the figure, going by about how wide their
/// characters are.
pub(super) fn faults_of_text(svg: &str) -> Vec<String> {
    let (width, height) = (attribute(svg, "width"), attribute(svg, "height"));
    let (width, height) = (width.expect("a width"), height.expect("a height"));
    let mut boxes: Vec<(f64, f64, f64, String)> = Vec::new();
    let mut faults = Vec::new();
    for piece in svg.split("<text").skip(1).filter(|piece| !piece.contains("class=\"n ")) {
        let (tag, rest) = piece.split_once('>').expect("a tag ends");
        let text = rest.split_once('<').expect("text ends").0.replace("&quot;", "\"");
        let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
        let is_head = tag.contains("class=\"h\"");
        let length = text.chars().count() as f64 * if is_head { 9.5 } else { 6.4 };
        let (x, y) = (attribute(tag, "x").expect("x"), attribute(tag, "y").expect("y"));
        let class = tag.split_once("class=\"").map_or("", |(_, rest)| rest);
        let left = match class.split('"').next().unwrap_or("").split(' ').next() {
            Some("e") => x - length,
            Some("m") => x - length / 2.0,
            _ => x,
        };
        let right = left + length;
        if left < -2.0 || right > width + 2.0 || y < 8.0 || y > height {
            faults.push(format!("'{text}' leaves the figure: {left} to {right} at {y}"));
        }
        let hits = |other: &&(f64, f64, f64, String)| {
            (other.2 - y).abs() < 8.0 && left < other.1 && other.0 < right
        };
        if let Some(other) = boxes.iter().find(hits).filter(|_| !text.is_empty()) {
            faults.push(format!("'{text}' overlaps '{}'", other.3));
        }
        boxes.push((left, right, y, text));
    }
    faults
}

/// Number of elements of `text`, if each that is opened is closed and each entity is known.
pub(super) fn check_well_formed(text: &str) -> Result<usize, String> {
    let mut open = Vec::new();
    let mut elements = 0;
    for (position, piece) in text.split('<').enumerate() {
        if position == 0 {
            if !piece.is_empty() {
                return Err(format!("text before the root: {piece}"));
            }
            continue;
        }
        let (tag, content) = piece.split_once('>').ok_or_else(|| format!("no end of {piece}"))?;
        if tag.matches('"').count() % 2 == 1 || content.contains('>') {
            return Err(format!("quotes or brackets in {piece}"));
        }
        for entity in piece.split('&').skip(1) {
            if !["lt;", "gt;", "amp;", "quot;"].iter().any(|known| entity.starts_with(known)) {
                return Err(format!("entity in {piece}"));
            }
        }
        if let Some(name) = tag.strip_prefix('/') {
            let opened = open.pop();
            if opened != Some(name) {
                return Err(format!("{opened:?} closed by {name}"));
            }
        } else {
            elements += 1;
            if !tag.ends_with('/') {
                open.push(tag.split(' ').next().unwrap_or(tag));
            }
        }
    }
    if open.is_empty() { Ok(elements) } else { Err(format!("{open:?} left open")) }
}
