//! Attacks that once succeeded, by components and by clients. Each is contained: the server goes on, and nobody else notices.

mod bodies;
mod channel;
mod connect_links;
mod connections;
mod control_groups;
mod files;
mod folders;
mod links;
mod network;
mod packages;
mod quotas;
mod reports;
mod time_limit;
mod uploads;
mod users;

/// The memory of a process, in megabytes.
fn megabytes(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("a process");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.expect("its memory") / 1024
}
