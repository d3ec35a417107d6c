# Starts and ends the daemons of a small Slurm whose files all lie in one folder. Sourced by `local-cluster` and `hosts`,
# which set the array `at` to a command that takes a host and a command, and runs that there.

# Ends with a message on what the user did wrong.
refuse() { printf '%s: %s\n' "${0##*/}" "$*" >&2; exit 2; }

# Makes the folder $1 ready and sets `dir`; short names, since Slurm puts sockets into it, whose paths may have 107 bytes.
make_folder() {
    [ "$(id -u)" = 0 ] || refuse "must be run as root"
    [ ! -e "$1" ] || [ -z "$(ls -A "$1")" ] || refuse "$1 is there already and not empty"
    mkdir -p "$1"
    dir=$(realpath "$1")
    [ "${#dir}" -le 60 ] || refuse "$dir: take a name of at most 60 bytes"
    chmod 755 "$dir"
    mkdir -p "$dir"/{log,tmp}
    touch "$dir/made-by-tegula" "$dir/processes"
}

# Sets `dir` to the folder $1, which `make_folder` must have made.
find_folder() {
    dir=$(realpath "$1" 2>/dev/null) && [ -e "$dir/made-by-tegula" ] || refuse "$1: not made by this script"
}

# Runs a daemon; its output goes to log/NAME.out. Usage: background NAME COMMAND...
background() {
    local name=$1
    shift
    setsid "$@" >"$dir/log/$name.out" 2>&1 </dev/null &
    printf '%s %s\n' "$!" "$name" >>"$dir/processes"
}

# Repeats a command each tenth of a second until it succeeds, for at most $1 seconds.
within() {
    local end=$((SECONDS + $1))
    shift
    until "$@" >/dev/null 2>&1; do
        [ "$SECONDS" -lt "$end" ] || return 1
        sleep 0.1
    done
}

# Writes slurm.conf: controller $1 at address $2, ports $3 and $4; lines with nodes come from the standard input.
#
# TmpFS differs from node to node, or PMIx finds the folder of another node. Jobs that need a program's own processes
# followed by control groups do not belong here: there are none. A node counts as lost after 20 s.
write_conf() {
    mkdir -p "$dir"/{munge,state,spool}
    chmod 711 "$dir/munge"
    chmod 700 "$dir/state"
    {
        cat <<CONF
ClusterName=tegula
SlurmctldHost=$1($2)
SlurmctldPort=$3
SlurmdPort=$4
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/munge/socket
CredType=cred/munge
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool/%n
TmpFS=$dir/tmp/%n
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.%n.pid
SlurmctldLogFile=$dir/log/slurmctld.log
SlurmdLogFile=$dir/log/slurmd.%n.log
JobCompType=jobcomp/filetxt
JobCompLoc=$dir/log/jobs.txt
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=2,bf_interval=2,batch_sched_delay=0
SlurmdParameters=config_overrides
PropagateResourceLimits=NONE
EnforcePartLimits=ALL
ReturnToService=2
SlurmdTimeout=20
KillWait=5
MailProg=/bin/true
CONF
        cat
        echo "PartitionName=main Nodes=ALL Default=YES MaxTime=60 State=UP"
    } >"$dir/slurm.conf"
    echo "export SLURM_CONF=$dir/slurm.conf" >"$dir/env"
}

# Starts the daemon that all others authenticate with, with a key of its own.
start_munge() {
    dd if=/dev/urandom of="$dir/munge/key" bs=128 count=1 status=none
    chmod 600 "$dir/munge/key"
    background munged munged --foreground --force --num-threads=2 --socket="$dir/munge/socket" \
        --key-file="$dir/munge/key" --seed-file="$dir/munge/seed" --pid-file="$dir/munge/pid"
    within 10 munge -S "$dir/munge/socket" -n || { echo "munged does not start: $dir/log/munged.out" >&2; exit 1; }
}

# Starts the controller on host $1 and a daemon on each other host named, and waits until all are idle.
start_slurm() {
    local controller=$1 node
    shift
    start_munge
    background slurmctld "${at[@]}" "$controller" slurmctld -D -f "$dir/slurm.conf"
    for node; do
        mkdir -p "$dir/tmp/$node" "$dir/spool/$node"
        background "slurmd-$node" "${at[@]}" "$node" slurmd -D -f "$dir/slurm.conf"
    done
    all_idle() { [ "$("${at[@]}" "$controller" sinfo -h -N -o %T | grep -c '^idle$')" = "$#" ]; }
    within 30 all_idle "$@" || { echo "Slurm does not start: $dir/log" >&2; exit 1; }
}

# Cancels all jobs; commands run on host $1.
cancel_jobs() {
    timeout 5 "${at[@]}" "$1" scancel --quiet --user=root || true
    no_jobs() { [ -z "$(timeout 5 "${at[@]}" "$1" squeue -h)" ]; }
    within 10 no_jobs "$1" || true
}

# Prints the processes of the cluster that are left: daemons, and those that have its SLURM_CONF and are Slurm's or part of
# a job; a user's shell may have it too.
left() {
    local number process _
    while read -r number _; do
        if [ -e "/proc/$number" ]; then echo "$number"; fi
    done <"$dir/processes"
    grep -lszxF "SLURM_CONF=$dir/slurm.conf" /proc/[0-9]*/environ | while read -r process; do
        process=${process%/environ}
        if grep -qs '^slurm' "$process/comm" || grep -qsz '^SLURM_JOB_ID=' "$process/environ"; then
            echo "${process#/proc/}"
        fi
    done || true
}

# Ends the processes of the cluster, by force if need be, and removes its folder.
end_all() {
    local signal
    none_left() { [ -z "$(left)" ]; }
    for signal in TERM KILL; do
        none_left && break
        left | xargs -r kill "-$signal" 2>/dev/null || true
        within 5 none_left || true
    done
    none_left || { echo "these processes do not end: $(left | xargs)" >&2; exit 1; }
    rm -rf "$dir"
}
