//! The seccomp filter: no new processes or programs, no access to other processes, only internet sockets, and no rarely used
//! interfaces of the kernel.
//!
//! A blocked call fails with a permission error and does not kill the process.

use std::{collections::BTreeMap, ffi::CStr, io};

use libc::{c_int, c_long};
use seccompiler::{
    SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch,
};

/// Always blocked.
const BLOCKED: &[c_long] = &[
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_process_mrelease,
    libc::SYS_pidfd_open,
    libc::SYS_pidfd_getfd,
    libc::SYS_pidfd_send_signal,
    libc::SYS_kcmp,
    libc::SYS_tkill,
    libc::SYS_setpgid,
    libc::SYS_setsid,
    libc::SYS_setpriority,
    libc::SYS_ioprio_set,
    libc::SYS_sched_setaffinity,
    libc::SYS_sched_setattr,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setscheduler,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
    libc::SYS_execveat,
    // Mounts and namespaces.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_unshare,
    libc::SYS_setns,
    // User and group ids.
    libc::SYS_setuid,
    libc::SYS_setgid,
    libc::SYS_setreuid,
    libc::SYS_setregid,
    libc::SYS_setresuid,
    libc::SYS_setresgid,
    libc::SYS_setfsuid,
    libc::SYS_setfsgid,
    libc::SYS_setgroups,
    libc::SYS_capset,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    // The kernel itself.
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_open_by_handle_at,
    libc::SYS_name_to_handle_at,
    libc::SYS_fanotify_init,
    libc::SYS_personality,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_syslog,
    libc::SYS_vhangup,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    // Memory and files that no limit counts, or that outlive the process.
    libc::SYS_memfd_create,
    libc::SYS_memfd_secret,
    libc::SYS_shmget,
    libc::SYS_msgget,
    libc::SYS_semget,
    libc::SYS_mq_open,
    libc::SYS_mknodat,
    // Components do not listen. Requests come through their endpoint.
    libc::SYS_listen,
];
#[cfg(target_arch = "x86_64")]
const BLOCKED_HERE: &[c_long] = &[
    libc::SYS_fork,
    libc::SYS_vfork,
    libc::SYS_mknod,
    libc::SYS_iopl,
    libc::SYS_ioperm,
    libc::SYS_modify_ldt,
];
#[cfg(not(target_arch = "x86_64"))]
const BLOCKED_HERE: &[c_long] = &[];

/// Reported as unknown to the kernel, so that callers use an older call.
const UNKNOWN: &[c_long] = &[
    // A filter cannot read its flags. It can read those of clone.
    libc::SYS_clone3,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
];

/// The kinds of internet sockets that are allowed.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sockets {
    pub(super) ipv6: bool,
    pub(super) udp: bool,
}

/// From now on only `exec_path`, at this memory address, can be executed. The address is meaningless to the next program.
pub(super) fn restrict(sockets: Sockets, exec_path: &CStr) -> io::Result<()> {
    let arch = TargetArch::try_from(std::env::consts::ARCH).map_err(io::Error::other)?;
    let mut blocked = always(BLOCKED.iter().chain(BLOCKED_HERE));
    blocked.extend(sometimes(sockets, exec_path)?);
    apply(always(UNKNOWN), libc::ENOSYS, arch)?;
    #[cfg(target_arch = "x86_64")]
    foreign_numbers::block()?;
    apply(blocked, libc::EPERM, arch)
}

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

fn always<'a>(calls: impl IntoIterator<Item = &'a c_long>) -> Rules {
    calls.into_iter().map(|call| (*call, Vec::new())).collect()
}

fn apply(rules: Rules, errno: c_int, arch: TargetArch) -> io::Result<()> {
    let block = SeccompAction::Errno(errno.unsigned_abs());
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, block, arch)
        .and_then(seccompiler::BpfProgram::try_from)
        .map_err(io::Error::other)?;
    seccompiler::apply_filter(&filter).map_err(io::Error::other)
}

/// Calls that are blocked depending on their arguments.
fn sometimes(sockets: Sockets, exec_path: &CStr) -> io::Result<Rules> {
    use SeccompCmpOp::{Eq, MaskedEq, Ne};
    let me = u64::from(std::process::id());
    let thread = u64::from(libc::CLONE_THREAD.unsigned_abs());
    let place = exec_path.as_ptr().addr() as u64;
    let not_me = || Ok::<_, io::Error>(vec![all([int(0, Ne, me)?])?]);
    Ok(BTreeMap::from([
        (libc::SYS_clone, vec![all([int(0, MaskedEq(thread), 0)?])?]),
        (
            libc::SYS_execve,
            vec![all([condition(0, SeccompCmpArgLen::Qword, Ne, place)?])?],
        ),
        (libc::SYS_kill, not_me()?),
        (libc::SYS_tgkill, not_me()?),
        (libc::SYS_rt_sigqueueinfo, not_me()?),
        (libc::SYS_rt_tgsigqueueinfo, not_me()?),
        (
            libc::SYS_prlimit64,
            vec![all([int(0, Ne, 0)?, int(0, Ne, me)?])?],
        ),
        (
            libc::SYS_prctl,
            // It must die with the server.
            vec![all([int(0, Eq, number(libc::PR_SET_PDEATHSIG))?])?],
        ),
        (
            libc::SYS_fcntl,
            // A file can be set up to send signals to any process.
            [libc::F_SETOWN, F_SETSIG, F_SETOWN_EX]
                .map(|command| all([int(1, Eq, number(command))?]))
                .into_iter()
                .collect::<io::Result<_>>()?,
        ),
        (
            libc::SYS_ioctl,
            [FIOSETOWN, SIOCSPGRP, libc::TIOCSTI, TIOCLINUX]
                .map(|request| all([int(1, Eq, request)?]))
                .into_iter()
                .collect::<io::Result<_>>()?,
        ),
        (libc::SYS_socket, blocked_sockets(sockets)?),
        (
            libc::SYS_socketpair,
            // Deno needs streams. A datagram could be sent to any socket of the machine.
            vec![all([
                int(1, Ne, number(libc::SOCK_STREAM | libc::SOCK_CLOEXEC))?,
                int(
                    1,
                    Ne,
                    number(libc::SOCK_STREAM | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK),
                )?,
            ])?],
        ),
        (libc::SYS_setsockopt, blocked_options()?),
    ]))
}

/// Options that send packets past the checked address, or to many.
fn blocked_options() -> io::Result<Vec<SeccompRule>> {
    use SeccompCmpOp::Eq;
    let v4 = [
        IP_OPTIONS,
        libc::IP_ADD_MEMBERSHIP,
        libc::IP_ADD_SOURCE_MEMBERSHIP,
    ];
    let v6 = [
        IPV6_2292PKTOPTIONS,
        IPV6_2292RTHDR,
        IPV6_RTHDR,
        libc::IPV6_ADD_MEMBERSHIP,
    ];
    let v4 = v4.map(|option| (libc::IPPROTO_IP, option));
    let v6 = v6.map(|option| (libc::IPPROTO_IPV6, option));
    let groups = [libc::IPPROTO_IP, libc::IPPROTO_IPV6]
        .into_iter()
        .flat_map(|level| {
            [MCAST_JOIN_GROUP, MCAST_JOIN_SOURCE_GROUP].map(|option| (level, option))
        });
    v4.into_iter()
        .chain(v6)
        .chain(groups)
        .map(|(level, option)| all([int(1, Eq, number(level))?, int(2, Eq, number(option))?]))
        .collect()
}

fn blocked_sockets(sockets: Sockets) -> io::Result<Vec<SeccompRule>> {
    use SeccompCmpOp::{MaskedEq, Ne};
    let [inet, inet6] = [libc::AF_INET, libc::AF_INET6].map(number);
    let [tcp, udp] = [libc::IPPROTO_TCP, libc::IPPROTO_UDP].map(number);
    let mut rules = vec![
        // Streams are 1 and datagrams 2. All other types have another bit set, or both.
        all([int(1, MaskedEq(0b1100), 0b0100)?])?,
        all([int(1, MaskedEq(0b1000), 0b1000)?])?,
        all([int(1, MaskedEq(0b1111), 0b0011)?])?,
        all([int(2, Ne, 0)?, int(2, Ne, tcp)?, int(2, Ne, udp)?])?,
    ];
    rules.push(if sockets.ipv6 {
        all([int(0, Ne, inet)?, int(0, Ne, inet6)?])?
    } else {
        all([int(0, Ne, inet)?])?
    });
    if !sockets.udp {
        rules.push(all([int(1, MaskedEq(0b1111), 0b0010)?])?);
    }
    Ok(rules)
}

const F_SETSIG: c_int = 10;
const F_SETOWN_EX: c_int = 15;
const FIOSETOWN: u64 = 0x8901;
const SIOCSPGRP: u64 = 0x8902;
const TIOCLINUX: u64 = 0x541c;
const IP_OPTIONS: c_int = 4;
const IPV6_2292RTHDR: c_int = 5;
const IPV6_2292PKTOPTIONS: c_int = 6;
const IPV6_RTHDR: c_int = 57;
const MCAST_JOIN_GROUP: c_int = 42;
const MCAST_JOIN_SOURCE_GROUP: c_int = 46;

fn number(constant: c_int) -> u64 {
    u64::from(constant.unsigned_abs())
}

fn all<const N: usize>(conditions: [SeccompCondition; N]) -> io::Result<SeccompRule> {
    SeccompRule::new(conditions.into()).map_err(io::Error::other)
}

/// A condition on an argument the kernel reads as an `int`.
fn int(argument: u8, op: SeccompCmpOp, value: u64) -> io::Result<SeccompCondition> {
    condition(argument, SeccompCmpArgLen::Dword, op, value)
}

fn condition(
    argument: u8,
    length: SeccompCmpArgLen,
    op: SeccompCmpOp,
    value: u64,
) -> io::Result<SeccompCondition> {
    SeccompCondition::new(argument, length, op, value).map_err(io::Error::other)
}

/// The x32 ABI has its own call numbers, which the list would miss.
#[cfg(target_arch = "x86_64")]
mod foreign_numbers {
    use std::io;

    use seccompiler::sock_filter;

    const LOAD_WORD: u16 = 0x20;
    const JUMP_IF_AT_LEAST: u16 = 0x35;
    const RETURN: u16 = 0x06;
    const X32_BIT: u32 = 0x4000_0000;

    pub(super) fn block() -> io::Result<()> {
        let step = |code, jf, k| sock_filter { code, jt: 0, jf, k };
        let program = [
            step(LOAD_WORD, 0, 0),
            step(JUMP_IF_AT_LEAST, 1, X32_BIT),
            step(
                RETURN,
                0,
                libc::SECCOMP_RET_ERRNO | libc::ENOSYS.unsigned_abs(),
            ),
            step(RETURN, 0, libc::SECCOMP_RET_ALLOW),
        ];
        seccompiler::apply_filter(&program).map_err(io::Error::other)
    }
}
