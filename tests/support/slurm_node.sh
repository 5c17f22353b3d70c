#!/bin/bash
# slurm_node.sh FOLDER COMMAND...: runs COMMAND with a Slurm of its own: munged, slurmctld and slurmd of this machine as the
# one node, with everything in FOLDER (a short path: it holds sockets). They end with COMMAND.
set -euo pipefail
folder=$1
shift
node=$(hostname -s)
# Free ports of the loopback: several of these may run at a time.
port=$((20000 + $$ % 20000))
export SLURM_CONF=$folder/slurm.conf
mkdir -p "$folder"/{munge,state,spool}
chmod 700 "$folder/munge"
dd if=/dev/urandom of="$folder/munge/key" bs=1 count=1024 status=none
chmod 600 "$folder/munge/key"
cat >"$folder/slurm.conf" <<END
ClusterName=weft
SlurmctldHost=$node(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket
CryptoType=crypto/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=1,sched_interval=1
MpiDefault=none
SlurmdParameters=config_overrides
ReturnToService=2
SwitchType=switch/none
NodeName=$node NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=all Nodes=$node Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE
END
# Nothing here uses cgroups; slurmd would look for the kind that is mounted, and end if /sys has none.
echo CgroupPlugin=cgroup/v1 >"$folder/cgroup.conf"
munged --foreground --force --key-file="$folder/munge/key" --socket="$folder/munge/socket" \
  --pid-file="$folder/munge/pid" --seed-file="$folder/munge/seed" --log-file="$folder/munge/log" >"$folder/munged.log" 2>&1 &
pids=($!)
stop() {
  scancel --partition=all --full --signal=KILL 2>/dev/null || true
  kill "${pids[@]}" 2>/dev/null || true
  wait "${pids[@]}" 2>/dev/null || true
}
trap stop EXIT
for _ in {1..50}; do [[ -S $folder/munge/socket ]] && break || sleep 0.1; done
slurmctld -D -f "$SLURM_CONF" >"$folder/slurmctld.log" 2>&1 &
pids=($! "${pids[@]}")
slurmd -D -f "$SLURM_CONF" -N "$node" >"$folder/slurmd.log" 2>&1 &
pids=($! "${pids[@]}")
for _ in {1..100}; do
  [[ $(sinfo --noheader --format=%t 2>/dev/null) == idle ]] && break || sleep 0.1
done
[[ $(sinfo --noheader --format=%t 2>/dev/null) == idle ]] || { tail -n 20 "$folder"/*.log >&2; echo "slurm did not start" >&2; exit 99; }
"$@"
