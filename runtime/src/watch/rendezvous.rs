//! Where rank 0 can be reached, and how the others find the way there.

use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

use super::WatchError;
use super::addresses::addresses_of_this_host;
use super::end::Member;
use super::message::{Message, ReceiveBuffer, Token};

/// Most addresses that an invitation names.
const MOST_ADDRESSES: usize = 128;

/// Time that a guest waits for a connection to one address in its first round; later rounds take
/// three times as long.
const FIRST_ROUND: Duration = Duration::from_millis(1500);

/// Time that a guest waits for an answer.
const ANSWER: Duration = Duration::from_secs(3);

/// Where rank 0 waits for the others. Its bytes are to be brought to all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invitation {
    /// Name of the host.
    pub host: String,
    /// Where it can be reached, those first that are tried first.
    pub addresses: Vec<SocketAddr>,
    /// What tells the processes of this run from strangers.
    token: Token,
}

/// The sockets on which rank 0 waits.
#[derive(Debug)]
pub struct Listener {
    pub(super) sockets: Vec<TcpListener>,
    pub(super) invitation: Invitation,
}

impl Listener {
    pub(super) fn open(host: &str) -> io::Result<Self> {
        let fourth = TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0));
        let sixth = TcpListener::bind((Ipv6Addr::UNSPECIFIED, 0));
        let port = |socket: &io::Result<TcpListener>| {
            socket.as_ref().ok().and_then(|socket| socket.local_addr().ok()).map(|at| at.port())
        };
        let (port_of_fourth, port_of_sixth) = (port(&fourth), port(&sixth));
        let at = |address: IpAddr| {
            let port = if address.is_ipv4() { port_of_fourth } else { port_of_sixth };
            Some(SocketAddr::new(address, port?))
        };
        let mut addresses: Vec<SocketAddr> =
            addresses_of_this_host()?.into_iter().filter_map(at).collect();
        addresses.truncate(MOST_ADDRESSES);
        let sockets: Vec<TcpListener> = match (fourth, sixth) {
            (Err(error), Err(_)) => return Err(error),
            (fourth, sixth) => fourth.into_iter().chain(sixth).collect(),
        };
        for socket in &sockets {
            socket.set_nonblocking(true)?;
        }
        let mut token = Token::default();
        std::fs::File::open("/dev/urandom")?.read_exact(&mut token)?;
        Ok(Self { sockets, invitation: Invitation { host: host.to_owned(), addresses, token } })
    }

    /// Where the others find this rank.
    #[must_use]
    pub fn invitation(&self) -> &Invitation {
        &self.invitation
    }
}

impl Invitation {
    pub(super) fn token(&self) -> Token {
        self.token
    }

    /// The invitation as bytes, fewer than a frame holds.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.token.to_vec();
        for address in self.addresses.iter().take(MOST_ADDRESSES) {
            match address.ip() {
                IpAddr::V4(ip) => bytes.extend([&[4], &ip.octets()[..]].concat()),
                IpAddr::V6(ip) => bytes.extend([&[6], &ip.octets()[..]].concat()),
            }
            bytes.extend(address.port().to_le_bytes());
        }
        bytes.push(0);
        bytes.extend(&self.host.as_bytes()[..self.host.floor_char_boundary(255)]);
        bytes
    }

    /// The invitation that `bytes` are; none if they are not what [`Invitation::to_bytes`] makes.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (token, mut rest) = bytes.split_first_chunk()?;
        let mut addresses = Vec::new();
        loop {
            let (&kind, after) = rest.split_first()?;
            let (ip, after) = match kind {
                4 => after.split_first_chunk::<4>().map(|(ip, rest)| (IpAddr::from(*ip), rest))?,
                6 => after.split_first_chunk::<16>().map(|(ip, rest)| (IpAddr::from(*ip), rest))?,
                0 => {
                    let host = String::from_utf8(after.to_vec()).ok()?;
                    return Some(Self { host, addresses, token: *token });
                }
                _ => return None,
            };
            let (port, after) = after.split_first_chunk()?;
            addresses.push(SocketAddr::new(ip, u16::from_le_bytes(*port)));
            rest = after;
        }
    }

    /// Connects to rank 0: gives the connection, what came over it and is not read yet, and who is
    /// there.
    pub(super) fn accept(
        &self,
        me: &Member,
        limit: Duration,
    ) -> Result<(TcpStream, ReceiveBuffer, Member), WatchError> {
        let start = Instant::now();
        let mut patience = FIRST_ROUND;
        loop {
            let mut reasons = Vec::new();
            for &address in &self.addresses {
                match self.try_at(address, me, patience) {
                    Ok(met) => return Ok(met),
                    Err(error) => reasons.push(format!("{address}: {error}")),
                }
            }
            if start.elapsed() >= limit {
                let host = self.host.clone();
                return Err(WatchError::Unreachable { host, limit, reasons: reasons.join("; ") });
            }
            patience = 3 * FIRST_ROUND;
            std::thread::sleep(Duration::from_millis(200));
        }
    }

    fn try_at(
        &self,
        address: SocketAddr,
        me: &Member,
        patience: Duration,
    ) -> io::Result<(TcpStream, ReceiveBuffer, Member)> {
        let mut stream = TcpStream::connect_timeout(&address, patience)?;
        stream.set_nodelay(true)?;
        stream.set_write_timeout(Some(ANSWER))?;
        let mut hello = Vec::new();
        Message::Hello { token: self.token, who: me.clone() }.write(&mut hello);
        stream.write_all(&hello)?;
        let (mut inbox, mut bytes) = (ReceiveBuffer::default(), [0; 1024]);
        let end = Instant::now() + ANSWER;
        loop {
            match inbox.next() {
                Ok(Some(Message::Welcome { token, who })) if token == self.token => {
                    return Ok((stream, inbox, who));
                }
                Ok(None) => {}
                Ok(Some(_)) | Err(_) => {
                    return Err(io::Error::other("another program answers there"));
                }
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            stream.set_read_timeout(Some(left))?;
            match stream.read(&mut bytes)? {
                0 => return Err(io::Error::other("another program hangs up there")),
                count => inbox.push(&bytes[..count]),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn invitations_are_read_as_written(
            host in "\\PC{0,60}",
            addresses in prop::collection::vec((any::<IpAddr>(), any::<u16>()), 0..9),
            token in any::<Token>(),
        ) {
            let addresses = addresses.into_iter().map(SocketAddr::from).collect();
            let invitation = Invitation { host, addresses, token };
            let bytes = invitation.to_bytes();
            prop_assert_eq!(Invitation::from_bytes(&bytes), Some(invitation));
        }

        #[test]
        fn cut_invitations_are_refused(cut in 0..40_usize) {
            let addresses = ["10.0.0.1:80", "[fd00::1]:81"].map(|text| text.parse().unwrap()).to_vec();
            let bytes = Invitation { host: String::new(), addresses, token: [7; 16] }.to_bytes();
            prop_assume!(cut < bytes.len());
            prop_assert_eq!(Invitation::from_bytes(&bytes[..cut]), None);
        }
    }

    #[test]
    fn the_longest_invitation_fits_a_frame() {
        let addresses = vec!["[fd00::1]:81".parse().unwrap(); 2 * MOST_ADDRESSES];
        let invitation = Invitation { host: "h".repeat(400), addresses, token: [7; 16] };
        assert!(invitation.to_bytes().len() <= crate::comm::FRAME_BYTES);
    }

    #[test]
    fn this_host_can_be_reached_by_loopback_last() {
        let listener = Listener::open("here").unwrap();
        let addresses = &listener.invitation().addresses;
        assert!(addresses.last().unwrap().ip().is_loopback(), "{addresses:?}");
        let first = addresses.iter().position(|address| address.ip().is_loopback()).unwrap();
        assert!(
            addresses[first..].iter().all(|address| address.ip().is_loopback()),
            "{addresses:?}"
        );
    }
}
