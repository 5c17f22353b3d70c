# Completion of weft and ./weft in bash: eval "$(./weft completion bash)", or save this as
# ~/.local/share/bash-completion/completions/weft.
_weft() {
  local line=${COMP_LINE:0:COMP_POINT} program=${COMP_WORDS[0]/#\~/$HOME} words word before each
  read -ra words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=('')
  word=${words[-1]}
  # bash splits a word at ':' and '=', and expects only the part after them.
  before=${word%"${word##*[:=]}"}
  [[ $COMP_WORDBREAKS == *:* ]] || before=${before##*:}
  COMPREPLY=()
  while IFS= read -r each; do
    [[ $each != *[.=:,] ]] || compopt -o nospace
    COMPREPLY+=("${each#"$before"}")
  done < <("$program" __complete "${words[@]:1}" 2>/dev/null)
}
complete -o default -F _weft weft
