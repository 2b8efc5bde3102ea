export const SHELLS = ["bash", "zsh", "fish"] as const;

export type Shell = typeof SHELLS[number];

/**
 * What each shell has to run once. The scripts know no command: they ask the hidden command `complete` of the program
 * that stands on the line. Its first line is `words`, `files` or `folders`; each other line is a word, and after a tab
 * its description. Nothing of that is evaluated.
 */
export const COMPLETION_SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `# bash completion of panewright: evaluate this, for example in ~/.bashrc.
_panewright() {
  local current=\${COMP_WORDS[COMP_CWORD]} kind value description
  [[ $current == = ]] && current=
  COMPREPLY=()
  {
    IFS= read -r kind
    [[ $kind == files ]] || compopt +o default 2>/dev/null
    [[ $kind == folders ]] && compopt -o dirnames 2>/dev/null
    while IFS=$'\\t' read -r value description; do
      [[ $value == "$current"* ]] && COMPREPLY+=("$value")
    done
  } < <("\${1/#\\~/$HOME}" complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _panewright panewright
`,
  zsh: `#compdef panewright
# zsh completion of panewright: source this after compinit, or keep it as _panewright in a folder of $fpath.
_panewright() {
  local line description tab=$'\\t'
  local -a lines candidates
  lines=("\${(@f)$("\${\${(Q)words[1]}/#\\~/$HOME}" complete -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  [[ $words[CURRENT] == --*=* ]] && compset -P '*='
  case $lines[1] in
    files) _files ;;
    folders) _files -/ ;;
    words)
      for line in "\${(@)lines[2,-1]}"; do
        description=\${line#*$tab}
        candidates+=("\${\${line%%$tab*}//:/\\\\:}\${description:+:$description}")
      done
      _describe -V panewright candidates
      ;;
  esac
}
if [[ $funcstack[1] == _panewright ]]; then _panewright "$@"; else compdef _panewright panewright; fi
`,
  fish: `# fish completion of panewright: keep this as ~/.config/fish/completions/panewright.fish.
function __panewright_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l prefix (string match -r -- '^--[^=]+=' "$current")
    set -l program $words[1]
    string match -q -- '~/*' $program; and set program $HOME(string sub -s 2 -- $program)
    type -q -- $program; or return
    set -l lines ($program complete -- $words[2..-1] "$current" 2>/dev/null)
    switch "$lines[1]"
        case files
            set lines (__fish_complete_path (string replace -r -- '^--[^=]+=' '' "$current"))
        case folders
            set lines (__fish_complete_directories (string replace -r -- '^--[^=]+=' '' "$current"))
        case '*'
            set -e lines[1]
    end
    for line in $lines
        printf '%s\\n' "$prefix$line"
    end
end
complete -c panewright -f -k -a '(__panewright_complete)'
`,
};
