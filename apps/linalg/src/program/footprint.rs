//! What a program asks of memories: the bytes of its tiles, and of the tasks on them.

use tegula_runtime::ranks::{Owners, Rank};
use tegula_tiles::{MOST_BYTES, TileGrid};

/// Bytes of messages that a rank lets come before their turn, and that it may hold beside its own
/// tiles.
const AHEAD_BYTES: u64 = 256 << 20;

/// Most pieces of data that are counted one by one.
const MOST_COUNTED: usize = 1 << 24;

/// What a program on tiles of one order asks for.
#[derive(Clone, Debug, Default)]
pub struct Footprint {
    /// Bytes of all that it computes on.
    pub bytes: u64,
    /// Those of its matrices whose tiles are dealt out over ranks.
    pub dealt: Vec<TileGrid>,
    /// Those of what it makes in tiles beside these matrices, dealt out as they are.
    pub beside_bytes: u64,
    /// Bytes of copies that it keeps where all workers share one memory without limit.
    pub copy_bytes: u64,
    /// Bytes that it may hold at most beside these, where several workers share one memory without
    /// limit, as far as that is known: buffers of tasks that run before others give theirs back.
    /// Not known of a program that decides by what its matrices hold.
    pub race_bytes: Option<u64>,
    /// Bytes beside these, which stay in the RAM.
    pub plain_bytes: u64,
    /// Bytes that its largest task works on.
    pub task_bytes: u64,
    /// Pieces of data.
    pub pieces: usize,
    /// Tasks.
    pub tasks: f64,
}

impl Footprint {
    /// What of it `rank` has, of so many: the tiles that `owners` give it, and those of others that
    /// are with it for a while.
    #[must_use]
    pub fn of_rank(self, owners: &dyn Owners, rank: (Rank, usize)) -> Self {
        let dealt: u64 = self.dealt.iter().map(TileGrid::bytes).sum();
        if self.pieces > MOST_COUNTED || dealt >= MOST_BYTES {
            return self;
        }
        let owned: u64 = self.dealt.iter().map(|grid| grid.owned(owners, rank)).sum();
        let held = owned + (dealt - owned).min(AHEAD_BYTES);
        let share = owned as f64 / dealt.max(1) as f64;
        let made = (share * self.beside_bytes as f64) as u64;
        let bytes = self.bytes - dealt - self.beside_bytes + held + made;
        let race_bytes = self.race_bytes.map(|bytes| (share * bytes as f64) as u64);
        Self { bytes, beside_bytes: made, race_bytes, ..self }
    }
}
