//! The watch over real sockets: ranks as threads, and as processes that are killed and stopped.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use tegula_runtime::ranks::Rank;
use tegula_runtime::watch::{
    End, How, Invitation, Listener, Rendezvous, Watch, WatchError, WatchOptions,
};

/// What takes longer hangs.
const HANGS: Duration = Duration::from_secs(120);

fn options(rank: usize, ranks: usize) -> WatchOptions {
    WatchOptions {
        beat: Duration::from_millis(100),
        patience: Duration::from_secs(3),
        ..WatchOptions::new(Rank(rank as u16), ranks, &format!("node{rank}"))
    }
}

/// A rank that is a thread, and what its watch says.
struct Thread {
    watch: Watch,
    ends: Receiver<End>,
}

fn start(rank: usize, ranks: usize, rendezvous: Rendezvous) -> Result<Thread, WatchError> {
    let (sender, ends) = channel();
    let on_end = move |end| sender.send(end).expect("the test waits");
    Ok(Thread { watch: Watch::start(options(rank, ranks), rendezvous, on_end)?, ends })
}

/// `ranks` ranks; guest number `rank` comes by the way that `way` gives.
fn meet(ranks: usize, way: impl Fn(usize, &Invitation) -> Invitation) -> Vec<Thread> {
    let listener = Watch::listen("node0").expect("sockets");
    let invitation =
        Invitation::from_bytes(&listener.invitation().to_bytes()).expect("an invitation");
    thread::scope(|scope| {
        let guest = |rank| {
            let invitation = way(rank, &invitation);
            scope.spawn(move || start(rank, ranks, Rendezvous::Guest(invitation)))
        };
        let guests: Vec<_> = (1..ranks).map(guest).collect();
        let host = start(0, ranks, Rendezvous::Host(listener)).expect("all come");
        let guests =
            guests.into_iter().map(|guest| guest.join().expect("no panic").expect("meets"));
        std::iter::once(host).chain(guests).collect()
    })
}

fn directly(_: usize, invitation: &Invitation) -> Invitation {
    invitation.clone()
}

fn end_of(rank: &Thread) -> End {
    rank.ends.recv_timeout(HANGS).expect("the end is heard of")
}

#[test]
fn a_farewell_is_quiet() {
    for ranks in [1, 2, 5] {
        let ends = meet(ranks, directly);
        thread::scope(|scope| {
            let leave = |end: Thread| scope.spawn(move || (end.watch.farewell(), end.ends));
            for leaving in ends.into_iter().map(leave).collect::<Vec<_>>() {
                let (farewell, ends) = leaving.join().expect("no panic");
                assert!(farewell.is_ok(), "{farewell:?}");
                assert!(ends.try_recv().is_err());
            }
        });
    }
}

/// What a launcher sees of a rank that ends comes after what rank 0 has to say.
#[test]
fn rank_0_has_the_news_before_others_end() {
    let listener = Watch::listen("node0").expect("sockets");
    let invitation =
        Invitation::from_bytes(&listener.invitation().to_bytes()).expect("an invitation");
    let (sender, heard) = channel();
    let watch = |rank: usize, rendezvous: Rendezvous| {
        let [news, ends] = [sender.clone(), sender.clone()];
        let on_news = move |end: &End| news.send((rank, "news", end.clone())).expect("it waits");
        let on_end = move |end| ends.send((rank, "end", end)).expect("it waits");
        Watch::start_with_news(options(rank, 3), rendezvous, on_news, on_end).expect("all meet")
    };
    let mut watches: Vec<Watch> = thread::scope(|scope| {
        let watch = &watch;
        let guest = |rank| {
            let rendezvous = Rendezvous::Guest(invitation.clone());
            scope.spawn(move || watch(rank, rendezvous))
        };
        let guests: Vec<_> = [1, 2].map(guest).into();
        let host = watch(0, Rendezvous::Host(listener));
        let guests = guests.into_iter().map(|guest| guest.join().expect("no panic"));
        std::iter::once(host).chain(guests).collect()
    });
    drop(watches.pop());
    let said: Vec<_> = (0..3).map(|_| heard.recv_timeout(HANGS).expect("all hear of it")).collect();
    assert_eq!((said[0].0, said[0].1), (0, "news"));
    assert!(said.iter().all(|(_, _, end)| end.who().rank == Rank(2)), "{said:?}");
    let mut others = [(said[1].0, said[1].1), (said[2].0, said[2].1)];
    others.sort_unstable();
    assert_eq!(others, [(0, "end"), (1, "end")]);
}

#[test]
fn an_abort_is_heard_by_all_others() {
    for loud in [0, 2] {
        let mut ends = meet(4, directly);
        let aborter = ends.remove(loud);
        aborter.watch.abort("/scratch is full", 7);
        for end in &ends {
            let text = format!("rank {loud} on node{loud} gave up: /scratch is full");
            let end = end_of(end);
            assert_eq!(end.to_string(), text);
            assert!(matches!(end, End::Aborted { code: 7, .. }), "{end:?}");
        }
        assert!(aborter.ends.try_recv().is_err(), "who gives up knows");
    }
}

#[test]
fn a_closed_connection_is_a_lost_rank() {
    for lost in [0, 3] {
        let mut ends = meet(4, directly);
        drop(ends.remove(lost));
        for end in &ends {
            let end = end_of(end);
            assert_eq!(usize::from(end.who().rank.0), lost);
            assert!(matches!(end, End::Lost { how: How::Closed, .. }), "{end}");
        }
        let again = ends.remove(0).watch.farewell();
        assert!(matches!(again, Err(WatchError::Ended(_))), "{again:?}");
    }
}

/// Hands on all bytes between a guest and `target` until it is cut.
struct Relay {
    at: SocketAddr,
    is_cut: Arc<Mutex<bool>>,
}

impl Relay {
    fn new(target: SocketAddr) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a socket");
        let (at, is_cut) =
            (listener.local_addr().expect("an address"), Arc::new(Mutex::new(false)));
        let shared = is_cut.clone();
        thread::spawn(move || {
            let (guest, _) = listener.accept().expect("the guest comes");
            let host = TcpStream::connect(target).expect("the host is there");
            for (from, to) in [(&guest, &host), (&host, &guest)] {
                let (from, to) =
                    (from.try_clone().expect("one more"), to.try_clone().expect("one more"));
                let is_cut = shared.clone();
                thread::spawn(move || hand_on(from, to, &is_cut));
            }
        });
        Self { at, is_cut }
    }
}

/// Once cut, bytes are dropped, and no end is passed on.
fn hand_on(mut from: TcpStream, mut to: TcpStream, is_cut: &Mutex<bool>) {
    let mut bytes = [0; 4096];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        if !*is_cut.lock().expect("no panic") && to.write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    if !*is_cut.lock().expect("no panic") {
        // The other side may have closed too.
        let _ = to.shutdown(Shutdown::Both);
    }
}

#[test]
fn a_cut_link_is_noticed_on_both_sides() {
    let relays = Mutex::new(Vec::new());
    let ends = meet(3, |rank, invitation| {
        let mut invitation = invitation.clone();
        if rank == 2 {
            let target = *invitation.addresses.last().expect("loopback is there");
            let mut relays = relays.lock().expect("no panic");
            relays.push(Relay::new(loopback_of_fourth(&invitation).unwrap_or(target)));
            invitation.addresses = vec![relays[0].at];
        }
        invitation
    });
    let relays = relays.into_inner().expect("no panic");
    *relays[0].is_cut.lock().expect("no panic") = true;
    for (rank, lost) in [(0, 2), (1, 2), (2, 0)] {
        let end = end_of(&ends[rank]);
        assert_eq!(end.who().rank, Rank(lost), "heard by rank {rank}: {end}");
        assert!(matches!(end, End::Lost { how: How::Silent { .. }, .. }), "{end}");
    }
}

fn loopback_of_fourth(invitation: &Invitation) -> Option<SocketAddr> {
    invitation.addresses.iter().find(|at| at.ip().is_loopback() && at.is_ipv4()).copied()
}

#[test]
fn strangers_do_no_harm() {
    let listener = Watch::listen("node0").expect("sockets");
    let other = Watch::listen("other").expect("sockets");
    let at = loopback_of_fourth(listener.invitation()).expect("IPv4");
    let mut strangers: Vec<TcpStream> =
        (0..3).map(|_| TcpStream::connect(at).expect("connects")).collect();
    strangers[0].write_all(b"GET / HTTP/1.1\r\n\r\n").expect("sent");
    strangers[1].write_all(&[0; 64]).expect("sent");
    // A guest of another run, which finds this one first.
    let mut lost = other.invitation().clone();
    lost.addresses.insert(0, at);
    let invitation = listener.invitation().clone();
    thread::scope(|scope| {
        let join =
            |rank, listener: Listener| start(rank, 2, Rendezvous::Host(listener)).expect("meets");
        let hosts = [scope.spawn(move || join(0, listener)), scope.spawn(move || join(0, other))];
        let guests = [invitation, lost].map(|invitation| {
            scope.spawn(move || start(1, 2, Rendezvous::Guest(invitation)).expect("meets"))
        });
        let ends = hosts.into_iter().chain(guests).map(|end| end.join().expect("no panic"));
        let leave = |end: Thread| scope.spawn(move || end.watch.farewell().expect("a clean end"));
        for leaving in ends.map(leave).collect::<Vec<_>>() {
            leaving.join().expect("no panic");
        }
    });
}

#[test]
fn who_is_missing_is_named() {
    let listener = Watch::listen("node0").expect("sockets");
    let mut options = options(0, 3);
    options.rendezvous = Duration::from_millis(300);
    let error =
        Watch::start(options, Rendezvous::Host(listener), |_| ()).expect_err("nobody comes");
    let text = "of 3 ranks 2 did not come to rank 0, the first of them rank 1";
    assert_eq!(error.to_string(), text);
}

#[test]
fn a_host_that_is_gone_is_named() {
    let invitation = Watch::listen("node0").expect("sockets").invitation().clone();
    let mut options = options(1, 3);
    options.rendezvous = Duration::from_millis(300);
    let error =
        Watch::start(options, Rendezvous::Guest(invitation), |_| ()).expect_err("nobody is there");
    assert!(
        error.to_string().starts_with("rank 0 on node0 cannot be reached within 0 s ("),
        "{error}"
    );
}

/// Variables that make this program one rank: its number, how many there are, a folder.
const ROLE: [&str; 3] = ["TEGULA_WATCH_RANK", "TEGULA_WATCH_RANKS", "TEGULA_WATCH_FOLDER"];

/// Whether this process is one of the ranks of the test; then it does not come back.
fn play_if_asked() {
    let [rank, ranks, folder] = ROLE.map(|name| std::env::var(name).ok());
    let (Some(rank), Some(ranks), Some(folder)) = (rank, ranks, folder) else { return };
    play(rank.parse().expect("a rank"), ranks.parse().expect("a number"), Path::new(&folder))
}

/// Meets the others, and then waits for the end, whose message it writes down.
fn play(rank: usize, ranks: usize, folder: &Path) -> ! {
    let rendezvous = if rank == 0 {
        let listener = Watch::listen("node0").expect("sockets");
        write(&folder.join("invitation"), &listener.invitation().to_bytes());
        Rendezvous::Host(listener)
    } else {
        let bytes = wait_for(&folder.join("invitation"));
        Rendezvous::Guest(Invitation::from_bytes(&bytes).expect("an invitation"))
    };
    let end = folder.join(format!("end{rank}"));
    let on_end = move |why: End| {
        write(&end, why.to_string().as_bytes());
        std::process::exit(3)
    };
    let _watch = Watch::start(options(rank, ranks), rendezvous, on_end).expect("all meet");
    write(&folder.join(format!("met{rank}")), b"");
    thread::sleep(2 * HANGS);
    std::process::exit(4)
}

fn write(path: &Path, bytes: &[u8]) {
    let part = path.with_extension("part");
    std::fs::write(&part, bytes).expect("a file");
    std::fs::rename(part, path).expect("a file");
}

fn wait_for(path: &Path) -> Vec<u8> {
    let start = Instant::now();
    while !path.exists() {
        assert!(start.elapsed() < HANGS, "no {}", path.display());
        thread::sleep(Duration::from_millis(10));
    }
    std::fs::read(path).expect("a file")
}

/// Processes that are killed when the test is over, however it is over.
struct Ranks(Vec<Child>);

impl Drop for Ranks {
    fn drop(&mut self) {
        for child in &mut self.0 {
            // Most have ended by themselves.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Ranks {
    /// Runs the test `test` in `ranks` processes, which play ranks in it.
    fn spawn(test: &str, ranks: usize, folder: &Path) -> Self {
        let spawn = |rank: usize| {
            let roles = [rank.to_string(), ranks.to_string(), folder.display().to_string()];
            Command::new(std::env::current_exe().expect("this program"))
                .args(["--exact", test])
                .envs(ROLE.into_iter().zip(roles))
                .stdout(Stdio::null())
                .spawn()
                .expect("this program runs")
        };
        let all = Self((0..ranks).map(spawn).collect());
        (0..ranks).for_each(|rank| drop(wait_for(&folder.join(format!("met{rank}")))));
        all
    }

    fn signal(&self, rank: usize, signal: &str) {
        let pid = self.0[rank].id().to_string();
        let status = Command::new("sh").args(["-c", "kill -\"$0\" \"$1\"", signal, &pid]).status();
        assert!(status.expect("sh runs").success(), "kill -{signal} {pid}");
    }
}

fn ends_without(folder: &Path, ranks: usize, other: usize) -> Vec<String> {
    let others = (0..ranks).filter(|&rank| rank != other);
    let end = |rank| wait_for(&folder.join(format!("end{rank}")));
    others.map(end).map(|bytes| String::from_utf8(bytes).expect("text")).collect()
}

#[test]
fn a_killed_process_is_named_by_all_others() {
    play_if_asked();
    for killed in [0, 2] {
        let folder = tempfile::tempdir().expect("a folder");
        let ranks = Ranks::spawn("a_killed_process_is_named_by_all_others", 4, folder.path());
        ranks.signal(killed, "KILL");
        let pid = ranks.0[killed].id();
        for end in ends_without(folder.path(), 4, killed) {
            let who = format!("rank {killed} on node{killed} (process {pid})");
            assert_eq!(end, format!("{who} is gone: its connection closed"));
        }
    }
}

#[test]
fn a_stopped_process_is_named_by_all_and_learns_it() {
    play_if_asked();
    for stopped in [0, 1] {
        let folder = tempfile::tempdir().expect("a folder");
        let ranks =
            Ranks::spawn("a_stopped_process_is_named_by_all_and_learns_it", 3, folder.path());
        ranks.signal(stopped, "STOP");
        let start =
            format!("rank {stopped} on node{stopped} (process {}) has", ranks.0[stopped].id());
        for end in ends_without(folder.path(), 3, stopped) {
            assert!(end.starts_with(&start), "{end}");
        }
        ranks.signal(stopped, "CONT");
        let own = wait_for(&folder.path().join(format!("end{stopped}")));
        let own = String::from_utf8(own).expect("text");
        assert!(own.starts_with(&start), "{own}");
    }
}
