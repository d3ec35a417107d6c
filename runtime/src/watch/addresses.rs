//! The addresses of this host, as the system lists them.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The addresses of all interfaces that are up: IPv4 first, those of the loopback interface last.
/// Addresses that hold on one link only are left out.
#[allow(unsafe_code)]
pub(super) fn addresses_of_this_host() -> io::Result<Vec<IpAddr>> {
    let mut first = std::ptr::null_mut();
    // SAFETY: the pointer is written by the call, and freed below.
    if unsafe { libc::getifaddrs(&mut first) } != 0 {
        return Err(io::Error::last_os_error());
    }
    let mut addresses = Vec::new();
    let mut next: *mut libc::ifaddrs = first;
    // SAFETY: the list is linked by valid pointers until it is freed.
    while let Some(entry) = unsafe { next.as_ref() } {
        if entry.ifa_flags & libc::IFF_UP as u32 != 0 {
            // SAFETY: the address, if there is one, belongs to the entry.
            addresses.extend(unsafe { address(entry.ifa_addr) });
        }
        next = entry.ifa_next;
    }
    // SAFETY: the list came from `getifaddrs`, and nothing of it is used any more.
    unsafe { libc::freeifaddrs(first) };
    addresses.retain(|address| !is_of_one_link(address));
    addresses.sort_by_key(|address| (address.is_loopback(), address.is_ipv6()));
    addresses.dedup();
    Ok(addresses)
}

fn is_of_one_link(address: &IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.is_link_local(),
        IpAddr::V6(address) => address.is_unicast_link_local(),
    }
}

/// The Internet address at `from`, if it is one.
///
/// # Safety
/// `from` is null or points to an address as long as its family says.
#[allow(unsafe_code)]
unsafe fn address(from: *const libc::sockaddr) -> Option<IpAddr> {
    // SAFETY: not null, and every address begins with its family.
    match i32::from(unsafe { from.as_ref()? }.sa_family) {
        libc::AF_INET => {
            // SAFETY: the family says what it is; it may lie anywhere.
            let address = unsafe { from.cast::<libc::sockaddr_in>().read_unaligned() };
            Some(Ipv4Addr::from(u32::from_be(address.sin_addr.s_addr)).into())
        }
        libc::AF_INET6 => {
            // SAFETY: the family says what it is; it may lie anywhere.
            let address = unsafe { from.cast::<libc::sockaddr_in6>().read_unaligned() };
            Some(Ipv6Addr::from(address.sin6_addr.s6_addr).into())
        }
        _ => None,
    }
}
