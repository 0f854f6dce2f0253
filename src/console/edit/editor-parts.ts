/** Shared by all editors of the console. Loaded with the first one. */
import { closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from '@codemirror/language';
import { EditorState, type Extension } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';

const colours = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--accent)', fontWeight: '550' },
  { tag: tags.atom, color: 'var(--text)', fontWeight: 'normal' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--series-3)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'light-dark(#a8470f, var(--series-2))' },
  {
    tag: [tags.standard(tags.name), tags.typeName, tags.variableName, tags.attributeName],
    color: 'var(--series-4)',
  },
  { tag: [tags.lineComment, tags.blockComment], color: 'var(--muted)', fontStyle: 'italic' },
]);

export interface EditorParts {
  /** Accessible name. */
  readonly label: string;
  /** False for read-only. */
  readonly isEditable: boolean;
  /** Ctrl-Enter. */
  readonly onRun: () => void;
  readonly onChange: (text: string) => void;
}

export function editorParts({ label, isEditable, onRun, onChange }: EditorParts): Extension {
  const run = () => {
    onRun();
    return true;
  };
  return [
    lineNumbers(),
    history(),
    // Characters that are invisible, or turn the direction of what follows, are shown as a sign.
    highlightSpecialChars(),
    drawSelection(),
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    highlightActiveLine(),
    // Tab is not bound: it leaves the editor, as it leaves every input.
    keymap.of([
      { key: 'Mod-Enter', run },
      ...closeBracketsKeymap,
      ...completionKeymap,
      ...historyKeymap,
      ...defaultKeymap,
    ]),
    syntaxHighlighting(colours),
    EditorState.readOnly.of(!isEditable),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false', tabindex: '0' }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) onChange(update.state.doc.toString());
    }),
  ];
}
