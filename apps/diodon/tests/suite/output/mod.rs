//! The folder of results: every file reads back as what was written, and the page draws in a
//! browser.

mod browser;
mod embedding;
mod files;
mod folder;
mod labels;
mod page;
mod sample;
