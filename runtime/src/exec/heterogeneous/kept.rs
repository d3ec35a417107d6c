//! Records of the flows that share an engine, for whoever takes those of all.

use std::collections::BTreeMap;

use crate::trace::TaskRecord;
use crate::types::JobId;

/// What flows have shown of their records.
#[derive(Debug, Default)]
pub(super) struct Kept {
    /// By the first jobs of the flows.
    of_flows: BTreeMap<JobId, Vec<TaskRecord>>,
    /// Numbers that tasks of taken records have: all below this.
    numbered: u64,
}

impl Kept {
    /// Keeps records of the flow whose first job is `job`.
    pub(super) fn add(&mut self, job: JobId, tasks: &[TaskRecord]) {
        // Names of phases are the flow's own.
        let plain = |record: &TaskRecord| TaskRecord { phase: 0, ..*record };
        self.of_flows.entry(job).or_default().extend(tasks.iter().map(plain));
    }

    /// Takes all of them; no two tasks have one number.
    pub(super) fn take(&mut self) -> Vec<TaskRecord> {
        let mut all = Vec::new();
        for mut tasks in std::mem::take(&mut self.of_flows).into_values() {
            let first = self.numbered;
            for record in &mut tasks {
                record.task += first;
                record.after += if record.after == 0 { 0 } else { first };
                self.numbered = self.numbered.max(record.task + 1);
            }
            all.append(&mut tasks);
        }
        all
    }
}
