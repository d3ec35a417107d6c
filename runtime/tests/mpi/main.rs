//! The transport over MPI, under every MPI that is installed. Each test starts itself again as
//! ranks under the launchers, and is then its own body.

mod harness;
#[allow(unsafe_code)]
mod traffic;

use tegula_runtime::comm::mpi::{Communicator, Family, Group, Launcher, Library, StartError};
use tegula_runtime::comm::{Arrival, FRAME_BYTES, Mpi, Transport};
use tegula_runtime::random::SplitMix64;
use tegula_runtime::ranks::Rank;

use harness::{Ranks, environment};
use traffic::{Part, Peer, exchange, shuffle};

/// A frame of some length that tells its number, and who sent it to whom.
fn frame(number: u32, from: Rank, to: Rank) -> Vec<u8> {
    let mut frame = vec![0; 8 + (number as usize * 997) % (FRAME_BYTES - 7)];
    frame[..4].copy_from_slice(&number.to_le_bytes());
    frame[4..6].copy_from_slice(&from.0.to_le_bytes());
    frame[6..8].copy_from_slice(&to.0.to_le_bytes());
    let length = frame.len();
    frame[length - 1] ^= 0x5a;
    frame
}

#[test]
fn frames_of_all_lengths_keep_their_order() {
    const FRAMES: u32 = 2000;
    Ranks::new("frames_of_all_lengths_keep_their_order", 4).run(|peer| {
        let me = peer.mpi.rank();
        let others: Vec<Rank> = peer.others().collect();
        let mut expected = vec![0; peer.mpi.ranks()];
        let mut sent = 0;
        peer.until(|mpi, inbox| {
            for arrival in inbox.drain(..) {
                let Arrival::Frame { from, bytes } = arrival else { panic!("{arrival:?}") };
                let number = &mut expected[usize::from(from.0)];
                assert_eq!(bytes, frame(*number, from, me), "frame {number} of rank {from}");
                *number += 1;
            }
            // In bursts that are longer than the receives that are posted.
            let burst = sent..(sent + 100).min(FRAMES);
            for (number, &to) in burst.clone().flat_map(|n| others.iter().map(move |to| (n, to))) {
                mpi.send_frame(to, &frame(number, me, to)).unwrap();
            }
            sent = burst.end;
            sent == FRAMES && others.iter().all(|from| expected[usize::from(from.0)] == FRAMES)
        });
    });
}

#[test]
fn messages_of_all_lengths_go_where_they_are_awaited() {
    Ranks::new("messages_of_all_lengths_go_where_they_are_awaited", 4).run(|peer| {
        for round in 0..2 {
            let mut random = SplitMix64::new(u64::from(peer.mpi.rank().0) << 8 | round);
            let mut lengths = vec![0, 1, 4096, 8 << 20];
            lengths.extend((0..60).map(|_| random.next_u64() as usize % 20_000));
            exchange(peer, &mut random, &lengths, |bytes| vec![bytes]);
        }
    });
}

#[test]
fn parts_under_one_label_fill_memories_in_order() {
    Ranks::new("parts_under_one_label_fill_memories_in_order", 2).run(|peer| {
        let mut random = SplitMix64::new(peer.mpi.rank().0.into());
        let lengths = [0, 5, 1000, 3_000_000];
        exchange(peer, &mut random, &lengths, |bytes| vec![bytes / 3, 0, bytes / 2, bytes, 1]);
    });
}

#[test]
fn long_messages_go_in_pieces() {
    Ranks::new("long_messages_go_in_pieces", 2).with_pieces(1000).run(|peer| {
        let mut random = SplitMix64::new(peer.mpi.rank().0.into());
        let lengths = [0, 1, 999, 1000, 1001, 1999, 2000, 5500, 1_000_000];
        exchange(peer, &mut random, &lengths, |bytes| vec![bytes]);
        exchange(peer, &mut random, &lengths, |bytes| vec![bytes, bytes + 1, bytes]);
    });
}

#[test]
fn a_message_may_be_shorter_than_its_receive() {
    Ranks::new("a_message_may_be_shorter_than_its_receive", 2).run(|peer| {
        let to = peer.others().next().unwrap();
        let label = peer.mpi.labels() - 1;
        for bytes in [0, 10, 99_999] {
            let mut awaited = Part::awaited(&mut peer.mpi, label, 100_000);
            peer.meet();
            let mut sent = Part::sent(&mut peer.mpi, to, label, &vec![7; bytes]);
            let mut told = Vec::new();
            peer.until(|_, inbox| {
                let is_message = |arrival: &mut Arrival| !matches!(arrival, Arrival::Frame { .. });
                told.extend(inbox.extract_if(.., is_message));
                told.len() == 2
            });
            assert!(told.contains(&Arrival::Sent(sent.ticket)), "{told:?}");
            assert!(
                told.contains(&Arrival::Received { ticket: awaited.ticket, bytes }),
                "{told:?}"
            );
            sent.contents();
            let (message, rest) = awaited.contents().split_at(bytes);
            assert!(message.iter().all(|&byte| byte == 7), "{bytes} bytes");
            assert!(rest.iter().all(|&byte| byte == 0), "what follows {bytes} bytes is untouched");
            peer.meet();
        }
    });
}

/// Sends a message to a receive of another length on rank 0: the error of the poll there.
fn mismatch(peer: &mut Peer, sent: usize, awaited: usize) -> String {
    let is_first = peer.mpi.rank() == Rank(0);
    let _receive = is_first.then(|| Part::awaited(&mut peer.mpi, 3, awaited));
    peer.meet();
    let _send = (!is_first).then(|| Part::sent(&mut peer.mpi, Rank(0), 3, &vec![1; sent]));
    let mut arrivals = Vec::new();
    loop {
        match peer.mpi.poll(&mut arrivals) {
            Ok(()) => std::thread::yield_now(),
            Err(error) => return error.to_string(),
        }
    }
}

#[test]
fn a_message_that_is_too_long_is_an_error() {
    Ranks::new("a_message_that_is_too_long_is_an_error", 2).run_to_abort(|peer| {
        // So short that it is copied: of longer ones Open MPI 4.1 writes all, beyond the receive.
        let error = mismatch(peer, 500, 400).to_lowercase();
        assert!(error.contains("mpi_testsome failed") && error.contains("truncated"), "{error}");
    });
}

#[test]
fn a_message_of_pieces_that_is_too_short_is_an_error() {
    let ranks = Ranks::new("a_message_of_pieces_that_is_too_short_is_an_error", 2);
    ranks.with_pieces(1000).run_to_abort(|peer| {
        let error = mismatch(peer, 2500, 4000);
        assert!(error.contains("a piece of 1000 bytes has 500"), "{error}");
    });
}

#[test]
#[allow(unsafe_code)]
fn ranks_of_a_program_that_has_started_mpi_join_again_and_again() {
    let test = "ranks_of_a_program_that_has_started_mpi_join_again_and_again";
    Ranks::new(test, 4).run(|peer| {
        let library = Library::of_process().expect("the library that started MPI");
        let world = Communicator::world(&library).unwrap();
        // SAFETY: MPI is started, and its world exists until it ends.
        let group = unsafe { Group::of(&library, world) }.unwrap();
        let me = peer.mpi.rank().0 as u8;
        for round in 0..50u8 {
            // Of what each sends to each, another length for each.
            let length = |from: usize, to: usize| (usize::from(round) * from + to) % 7;
            let [out, back] = [true, false].map(|is_out| {
                let lengths = (0..4).map(|other| {
                    if is_out { length(me.into(), other) } else { length(other, me.into()) }
                });
                lengths.collect::<Vec<_>>()
            });
            let sent = vec![me; out.iter().sum()];
            let mut received = vec![u8::MAX; back.iter().sum()];
            group.all_to_all((&sent, &out), (&mut received, &back)).unwrap();
            let expected = (0..4u8).flat_map(|from| vec![from; back[usize::from(from)]]);
            assert_eq!(received, expected.collect::<Vec<_>>());
            assert_eq!(group.all_gather(&[me, round], 4).unwrap().chunks(2).len(), 4);
            // Frames that nobody waits for are no frames of the next round.
            let mut mpi = group.join().unwrap();
            assert!(!mpi.is_funneled(), "any thread may call, since MPI was started so");
            let mut arrivals = Vec::new();
            let others: Vec<Rank> = (0..4).map(Rank).filter(|rank| *rank != mpi.rank()).collect();
            for &to in &others {
                mpi.send_frame(to, &[round, 0]).unwrap();
            }
            while arrivals.len() < others.len() {
                mpi.poll(&mut arrivals).unwrap();
            }
            for arrival in &arrivals {
                let Arrival::Frame { bytes, .. } = arrival else { panic!("{arrival:?}") };
                assert!(bytes[0] == round, "a frame of round {} in {round}", bytes[0]);
            }
            for &to in &others {
                mpi.send_frame(to, &[round, 1]).unwrap();
            }
            mpi.finish().unwrap();
        }
    });
}

#[test]
fn the_library_of_another_launcher_is_told() {
    Ranks::new("the_library_of_another_launcher_is_told", 2).run_without(|family| {
        let other = match family {
            Family::OpenMpi => Family::Mpich,
            Family::Mpich => Family::OpenMpi,
        };
        let launcher = Launcher::of(environment);
        let library = Library::find(Some(other), None).unwrap();
        if library.family() == family {
            return harness::skip(
                "the_library_of_another_launcher_is_told",
                &format!("no {other}"),
            );
        }
        let error = Mpi::start(&library, &launcher).unwrap_err();
        assert!(matches!(error, StartError::Alone { launched: 2, .. }), "{error}");
        assert!(error.to_string().contains(&library.version()), "{error}");
    });
}

#[test]
fn ranks_know_their_place_and_start_once() {
    Ranks::new("ranks_know_their_place_and_start_once", 3).run(|peer| {
        let launcher = Launcher::of(environment);
        assert_eq!(launcher.rank, Some(peer.mpi.rank().0.into()));
        assert_eq!(launcher.ranks, Some(3));
        assert_eq!(peer.mpi.ranks(), 3);
        assert_eq!(peer.mpi.labels(), 1 << 20);
        assert!(!peer.mpi.processor().unwrap().is_empty());
        let library = Library::find(launcher.family, None).unwrap();
        assert_eq!(Some(library.family()), launcher.family);
        assert_eq!(peer.mpi.library(), library.version());
        let name = if library.family() == Family::OpenMpi { "Open MPI v" } else { "MP" };
        assert!(library.version().contains(name), "{}", library.version());
        assert!(matches!(Mpi::start(&library, &launcher), Err(StartError::Again)));
    });
}

#[test]
fn shuffled_is_the_same_in_another_order() {
    let mut items: Vec<u32> = (0..100).collect();
    shuffle(&mut items, &mut SplitMix64::new(1));
    assert_ne!(items, (0..100).collect::<Vec<_>>());
    items.sort_unstable();
    assert_eq!(items, (0..100).collect::<Vec<_>>());
}
