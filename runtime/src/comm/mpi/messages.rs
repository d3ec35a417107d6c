//! Messages that are under way: which pieces they are cut into, and how many are still to come.

use crate::comm::{Arrival, Ticket, TransportError};

/// Where a piece lies in its message, and how long it is, in bytes.
pub(super) fn pieces(bytes: usize, piece: usize) -> impl Iterator<Item = (usize, usize)> {
    // An empty message is one empty piece.
    let count = bytes.div_ceil(piece).max(1);
    (0..count).map(move |number| (number * piece, (bytes - number * piece).min(piece)))
}

/// Where a message goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Out,
    In,
}

/// A message that is under way.
#[derive(Clone, Copy, Debug)]
struct Message {
    ticket: Ticket,
    way: Way,
    /// Pieces that it has, and those that are not complete.
    pieces: usize,
    left: usize,
    /// Bytes that came.
    bytes: usize,
}

/// All messages under way; allocates only when there are more than ever before.
#[derive(Debug, Default)]
pub(super) struct Messages {
    slots: Vec<Message>,
    free: Vec<usize>,
    tickets: u64,
}

impl Messages {
    /// How many are under way.
    pub(super) fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// A new message of that many pieces: its slot and its ticket.
    pub(super) fn add(&mut self, way: Way, pieces: usize) -> (usize, Ticket) {
        self.tickets += 1;
        let ticket = Ticket(self.tickets);
        let message = Message { ticket, way, pieces, left: pieces, bytes: 0 };
        let slot = self.free.pop().unwrap_or(self.slots.len());
        match self.slots.get_mut(slot) {
            Some(free) => *free = message,
            None => self.slots.push(message),
        }
        (slot, ticket)
    }

    /// Which way a message goes.
    pub(super) fn way(&self, slot: usize) -> Way {
        self.slots[slot].way
    }

    /// Notes that a piece has gone or come, `bytes` bytes of the `room` that it had; returns what
    /// there is to tell if it was the last.
    ///
    /// # Errors
    /// If a message that needs several pieces is shorter than its receive.
    pub(super) fn note(
        &mut self,
        slot: usize,
        bytes: usize,
        room: usize,
    ) -> Result<Option<Arrival>, TransportError> {
        let message = &mut self.slots[slot];
        if bytes < room && message.pieces > 1 {
            let reason = format!(
                "a piece of {room} bytes has {bytes}: the message is shorter than its receive of {} pieces",
                message.pieces
            );
            return Err(TransportError::Failed { call: "MPI_Irecv", reason });
        }
        message.left -= 1;
        message.bytes += bytes;
        if message.left > 0 {
            return Ok(None);
        }
        let Message { ticket, way, bytes, .. } = *message;
        self.free.push(slot);
        Ok(Some(match way {
            Way::Out => Arrival::Sent(ticket),
            Way::In => Arrival::Received { ticket, bytes },
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(bytes: usize) -> Vec<(usize, usize)> {
        pieces(bytes, 10).collect()
    }

    #[test]
    fn pieces_cover_a_message_once() {
        assert_eq!(cut(0), [(0, 0)]);
        assert_eq!(cut(9), [(0, 9)]);
        assert_eq!(cut(10), [(0, 10)]);
        assert_eq!(cut(11), [(0, 10), (10, 1)]);
        assert_eq!(cut(30), [(0, 10), (10, 10), (20, 10)]);
        let most = usize::MAX / 2;
        assert_eq!(pieces(most, 1 << 30).map(|(_, bytes)| bytes).max(), Some(1 << 30));
    }

    #[test]
    fn a_message_is_told_with_its_last_piece() {
        let mut messages = Messages::default();
        let (slot, ticket) = messages.add(Way::In, 3);
        assert_eq!(messages.note(slot, 10, 10).unwrap(), None);
        assert_eq!(messages.note(slot, 10, 10).unwrap(), None);
        assert_eq!(messages.len(), 1);
        let told = messages.note(slot, 5, 5).unwrap();
        assert_eq!(told, Some(Arrival::Received { ticket, bytes: 25 }));
        assert_eq!(messages.len(), 0);
        let (again, later) = messages.add(Way::Out, 1);
        assert_eq!((again, later), (slot, Ticket(ticket.0 + 1)), "slots are used again");
        assert_eq!(messages.note(again, 7, 7).unwrap(), Some(Arrival::Sent(later)));
    }

    #[test]
    fn only_a_message_of_one_piece_may_be_short() {
        let mut messages = Messages::default();
        let (slot, ticket) = messages.add(Way::In, 1);
        let told = messages.note(slot, 0, 10).unwrap();
        assert_eq!(told, Some(Arrival::Received { ticket, bytes: 0 }));
        let (slot, _) = messages.add(Way::In, 2);
        let error = messages.note(slot, 9, 10).unwrap_err().to_string();
        assert!(error.contains("a piece of 10 bytes has 9"), "{error}");
    }
}
