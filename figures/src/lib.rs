//! Figures as SVG, and pages of HTML around them, that need no other file and no program.
//!
//! Figures have a style for light and dark pages, kept to the class that they belong to.

pub mod chart;
pub mod colour;
pub mod html;
pub mod map;
pub mod plane;
pub mod scale;
pub mod style;
pub mod svg;
