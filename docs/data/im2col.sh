#!/usr/bin/env bash
# The tables of docs/explanation/im2col.md: weft timeline of both runs for three networks. Argument: the program.
set -euo pipefail
weft=$1
peak_fpgpt=28 peak_barista=128  # GOPS
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT

# Prints seconds of an iteration: kernels, im2col, tiling and untiling, all without loads, and GOPS while kernels run.
figures() {
  "$weft" timeline "$@" --no-save | awk '
    /^convolutions/ { gops = $2 }
    /^where/ { inside = 1; next }
    inside && /^idle/ { exit }
    inside { name = $1 == "host" ? "host layers" : $1; value = $1 == "host" ? $3 : $2; s[name] = value; if (name != "reconfiguration") sum += value }
    END { printf "%.6f %.6f %.6f %.6f %s\n", s["kernels"], s["im2col"], s["tiling"] + s["untiling"], sum, gops }'
}

for network in alexnet_cifar10 resnet20 alexnet; do
  for profile in hls rtl; do
    for im2col in card cpu; do
      figures im2col-fpgpt --set network=$network --set kernel.profile=$profile --set schedule.im2col=$im2col >"$folder/$network-$profile-$im2col"
    done
  done
  figures im2col-fpgpt --set network=$network --set kernel.profile=rtl --set kernel.clock_mhz=250 >"$folder/$network-rtl-250"
  figures im2col-barista --set network=$network >"$folder/$network-barista"
done

of() { cut -d' ' -f"$2" "$folder/$1"; }

echo 'Table 5.9: seconds of 32 images'
printf '%-16s%-8s%14s%13s%9s%12s%11s\n' network profile 'im2col: card' 'CPU, kernels' im2col 'GOPS left' Table\ 5.9
for network in 'alexnet_cifar10 6.63 27.4' 'resnet20 5.25 55.3' 'alexnet 33.1 400'; do
  read -r n cpu all <<<"$network"
  for p in hls rtl; do
    awk -v n="$n" -v p=$p -v a="$(of "$n-$p-card" 1)" -v b="$(of "$n-$p-cpu" 1)" -v i="$(of "$n-$p-cpu" 2)" -v c="$cpu" -v d="$all" \
      'BEGIN { printf "%-16s%-8s%14.3f%13.3f%9.3f%10.1f %%%9.1f %%\n", n, p, a, b, i, 100 * a / (b + i), 100 * c / d }'
  done
done
echo
echo 'Kernels: seconds of 32 images; GOPS, and share of the peak'
printf '%-16s%8s%8s%9s%9s%15s%15s\n' network hls rtl 250\ MHz Barista 'rtl GOPS' 'Barista GOPS'
for n in alexnet_cifar10 resnet20 alexnet; do
  awk -v n=$n -v h="$(of $n-hls-card 1)" -v r="$(of $n-rtl-card 1)" -v f="$(of $n-rtl-250 1)" -v b="$(of $n-barista 1)" -v g="$(of $n-rtl-card 5)" \
    -v q="$(of $n-barista 5)" -v pf=$peak_fpgpt -v pb=$peak_barista \
    'BEGIN { printf "%-16s%8.3f%8.3f%9.3f%9.3f%9.1f, %2.0f %%%9.1f, %2.0f %%\n", n, h, r, f, b, g, 100 * g / pf, q, 100 * q / pb }'
done
echo
echo 'Iteration: seconds of 32 images without loads of bitstreams'
printf '%-16s%8s%8s%9s%13s%9s%13s%18s\n' network hls rtl 250\ MHz 'rtl, CPU' Barista 'its kernels' 'its im2col, tiles'
for n in alexnet_cifar10 resnet20 alexnet; do
  awk -v n=$n -v h="$(of $n-hls-card 4)" -v r="$(of $n-rtl-card 4)" -v f="$(of $n-rtl-250 4)" -v c="$(of $n-rtl-cpu 4)" -v b="$(of $n-barista 4)" \
    -v k="$(of $n-barista 1)" -v m="$(of $n-barista 2)" -v t="$(of $n-barista 3)" \
    'BEGIN { printf "%-16s%8.2f%8.2f%9.2f%13.2f%9.2f%11.0f %%%16.0f %%\n", n, h, r, f, c, b, 100 * k / b, 100 * (m + t) / b }'
done
