//! A command with what it is lent, while it runs, and what it has left.

use std::ffi::{CStr, CString};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tegula_command::guest::{Failure, Kept, Kind, Loan, Running};
use tegula_diodon::Ordination;
use tegula_files::source::MemorySource;
use tegula_files::{Cells, Table};
use tegula_kernels::element::Element;

/// A command of `tegula`.
#[derive(Debug, Default)]
pub struct Call {
    words: Vec<String>,
    tables: Vec<(String, Vec<(String, Cells)>)>,
    loan: Loan,
    /// The last line about progress that nobody has seen.
    progress: Arc<Mutex<Option<String>>>,
    running: Option<Running>,
    outcome: Option<Result<Left, Failure>>,
    /// Texts that C was given last.
    given: CString,
}

/// What a command has left, as lists with names.
#[derive(Debug, Default)]
pub struct Left {
    /// What `--json` writes.
    pub result: String,
    /// Numbers: `column:NAME` of each column, `matrix`, `coordinates` of items by columns.
    pub numbers: Vec<(CString, Vec<f64>)>,
    /// Texts: `warnings`, `ids` of items, `variable_ids`, the `method` of an ordination.
    pub texts: Vec<(CString, Vec<CString>)>,
}

/// `text` for C, up to a NUL if there is one.
fn c_text(text: &str) -> CString {
    let end = text.find('\0').unwrap_or(text.len());
    CString::new(&text[..end]).expect("it has no NUL")
}

impl Left {
    fn new(kept: Kept) -> Self {
        let mut left = Self { result: kept.result.to_string(), ..Self::default() };
        for (name, values) in kept.columns {
            left.numbers.push((c_text(&format!("column:{name}")), values));
        }
        if !kept.matrix.is_empty() {
            left.put("matrix", kept.matrix);
        }
        left.list("warnings", &kept.warnings);
        if let Some(ordination) = kept.ordination {
            left.place(ordination);
        }
        left
    }

    fn put(&mut self, name: &str, values: Vec<f64>) {
        self.numbers.push((c_text(name), values));
    }

    fn list(&mut self, name: &str, texts: &[String]) {
        self.texts.push((c_text(name), texts.iter().map(|text| c_text(text)).collect()));
    }

    fn place(&mut self, of: Ordination) {
        self.list("method", &[of.method]);
        self.list("ids", &of.ids);
        self.put("coordinates", of.coordinates);
        self.put("eigenvalues", of.eigenvalues);
        self.put("negative", of.negative);
        self.put("trace", vec![of.trace]);
        if let Some(variables) = of.variables {
            self.list("variable_ids", &variables.ids);
            self.put("variable_coordinates", variables.coordinates);
        }
    }
}

impl Call {
    /// Adds a word of the command line.
    pub fn word(&mut self, text: String) {
        self.words.push(text);
    }

    /// Begins a table, which words name as `name`; columns go to the last one.
    pub fn table(&mut self, name: String) {
        self.tables.push((name, Vec::new()));
    }

    /// Adds a column to the last table.
    ///
    /// # Panics
    /// If there is no table.
    pub fn column(&mut self, name: String, cells: Cells) {
        self.tables.last_mut().expect("a table was begun").1.push((name, cells));
    }

    /// Lends a matrix of so many rows and columns, its `entries` by columns, and the names of both.
    ///
    /// # Panics
    /// If there are not as many entries, or names, as the shape says.
    pub fn matrix(
        &mut self,
        name: &str,
        [rows, columns]: [usize; 2],
        entries: &[f64],
        names: [Option<Vec<String>>; 2],
    ) {
        assert_eq!(entries.len(), rows * columns, "entries of a matrix");
        let mut by_rows = vec![0.0; entries.len()];
        for (j, column) in entries.chunks_exact(rows.max(1)).enumerate() {
            for (i, &entry) in column.iter().enumerate() {
                by_rows[i * columns + j] = entry;
            }
        }
        let bytes = bytemuck::cast_slice(&by_rows).to_vec();
        let source = MemorySource::new(name, [rows, columns], (Element::F64, bytes), names);
        self.loan.sources.push(Arc::new(source));
    }

    /// Lends a model, the JSON of which is `text`; whether it is JSON.
    pub fn model(&mut self, name: &str, text: &str) -> bool {
        let value = serde_json::from_str(text);
        let is_json = value.is_ok();
        self.loan.models.extend(value.ok().map(|value| (PathBuf::from(name), value)));
        is_json
    }

    /// Starts the command.
    pub fn start(&mut self) {
        let table = |(name, columns): (String, Vec<(String, Cells)>)| {
            Table::of_columns(Path::new(&name), columns, ("row", 1))
        };
        self.loan.tables = std::mem::take(&mut self.tables).into_iter().map(table).collect();
        let progress = Arc::clone(&self.progress);
        self.loan.report = Some(Arc::new(move |text: &str| {
            *progress.lock().unwrap_or_else(PoisonError::into_inner) = Some(text.to_owned());
        }));
        match Running::start(std::mem::take(&mut self.words), std::mem::take(&mut self.loan)) {
            Ok(running) => self.running = Some(running),
            Err(error) => {
                let message = format!("the system has no thread for the command: {error}");
                self.outcome = Some(Err(Failure { kind: Kind::Failed, message }));
            }
        }
    }

    /// Waits for the end, but no longer than this; whether it has come.
    pub fn wait(&mut self, most: Duration) -> bool {
        if let Some(outcome) = self.running.as_ref().and_then(|running| running.wait(most)) {
            self.running = None;
            self.outcome = Some(outcome.map(Left::new));
        }
        self.outcome.is_some()
    }

    /// Asks it to end.
    pub fn stop(&self) {
        if let Some(running) = &self.running {
            running.stop();
        }
    }

    /// The last line about progress, once.
    pub fn progress(&mut self) -> Option<&CStr> {
        let line = self.progress.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        self.given = c_text(&line);
        Some(&self.given)
    }

    /// What it has left, if it has ended well.
    #[must_use]
    pub fn left(&self) -> Option<&Left> {
        self.outcome.as_ref()?.as_ref().ok()
    }

    /// The name of the kind of its failure.
    #[must_use]
    pub fn failure(&self) -> Option<&'static CStr> {
        let Some(Err(failure)) = &self.outcome else { return None };
        Some(match failure.kind {
            Kind::Refused => c"refused",
            Kind::NotFound => c"not_found",
            Kind::File => c"file",
            Kind::Memory => c"memory",
            Kind::Numerical => c"numerical",
            Kind::Stopped => c"stopped",
            Kind::Failed => c"failed",
        })
    }

    /// The result as JSON, or the message of a failure.
    pub fn text(&mut self) -> &CStr {
        let text = match &self.outcome {
            Some(Ok(left)) => &left.result,
            Some(Err(failure)) => &failure.message,
            None => "",
        };
        self.given = c_text(text);
        &self.given
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(mut call: Call) -> Call {
        call.start();
        while !call.wait(Duration::from_millis(10)) {}
        call
    }

    #[test]
    fn a_command_leaves_numbers_under_names() {
        let mut call = Call::default();
        let words = "exageostat sample --at=places --coords=x,y --covariance=exponential \
                     --params=1,0.2 --seed=3 --output=columns.csv --json=result.json";
        words.split_whitespace().for_each(|word| call.word(word.to_owned()));
        call.table("places".to_owned());
        call.column("x".to_owned(), Cells::Numbers(vec![0.0, 0.5, 1.0]));
        call.column("y".to_owned(), Cells::Numbers(vec![0.0, 1.0, 0.0]));
        let mut call = ended(call);
        assert_eq!(call.failure(), None, "{:?}", call.text());
        let left = call.left().expect("it has ended well");
        let [(name, values)] = &left.numbers[..] else { panic!("{:?}", left.numbers) };
        assert!(name.to_str().expect("UTF-8").starts_with("column:"), "{name:?}");
        assert_eq!(values.len(), 3);
    }

    #[test]
    fn a_matrix_by_columns_is_placed_on_axes() {
        // Three places on a line: 0, 3, 4.
        let distances = [0.0, 3.0, 4.0, 3.0, 0.0, 1.0, 4.0, 1.0, 0.0];
        let mut call = Call::default();
        let words = ["diodon", "mds", "d", "--axes=1", "--json=result.json"];
        words.into_iter().for_each(|word| call.word(word.to_owned()));
        let names = ["a", "b", "c"].map(str::to_owned).to_vec();
        call.matrix("d", [3, 3], &distances, [Some(names.clone()), Some(names)]);
        let mut call = ended(call);
        assert_eq!(call.failure(), None, "{:?}", call.text());
        let left = call.left().expect("it has ended well");
        let of = |name: &CStr| left.numbers.iter().find(|one| one.0.as_c_str() == name);
        let (_, eigenvalues) = of(c"eigenvalues").expect("they are there");
        assert!((eigenvalues[0] - 26.0 / 3.0).abs() < 1e-9, "{eigenvalues:?}");
        assert!(
            left.texts
                .iter()
                .any(|(name, ids)| name.as_c_str() == c"ids" && ids[1].as_c_str() == c"b")
        );
    }

    #[test]
    fn a_failure_has_a_kind_and_the_words_of_the_program() {
        let mut call = Call::default();
        ["exageostat", "fit", "nothing.csv"]
            .into_iter()
            .for_each(|word| call.word(word.to_owned()));
        let mut call = ended(call);
        assert_eq!(call.failure(), Some(c"not_found"));
        assert!(call.text().to_str().expect("UTF-8").contains("nothing.csv"));
        assert!(!call.model("m", "no JSON"));
    }
}
