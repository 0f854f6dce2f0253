/** CodeMirror for one query, in a file of its own that is loaded with the first editor. */
import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { keywordCompletionSource, SQLDialect, sql } from '@codemirror/lang-sql';
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from '@codemirror/language';
import { setDiagnostics } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef } from 'react';
import { completeSql, type SqlTable } from './completions.ts';
import type { Fault } from './fault-place.ts';
import { sqlFunctions } from './functions.ts';

export interface SqlEditorProps {
  readonly initial: string;
  readonly tables: readonly SqlTable[];
  readonly fault: Fault | null;
  readonly onChange: (text: string) => void;
  /** Ctrl-Enter. */
  readonly onRun: () => void;
  /** False: only to be read. */
  readonly editable?: boolean;
}

const keywords =
  'select from where group by order having limit offset with as on using join inner left right full outer cross any all asof array union distinct and or not in is null like ilike between case when then else end asc desc nulls first last over partition rows range preceding following unbounded current row interval prewhere final sample settings except intersect qualify window true false';

const clickhouse = SQLDialect.define({
  keywords,
  builtin: sqlFunctions.map(({ name }) => name.toLowerCase()).join(' '),
  types:
    'string date date32 datetime datetime64 uint8 uint16 uint32 uint64 int8 int16 int32 int64 float32 float64 decimal bool uuid nullable lowcardinality tuple map',
  backslashEscapes: true,
  doubleQuotedStrings: false,
  identifierQuotes: '`"',
  hashComments: true,
  operatorChars: '*+-%<>!=&|^/~?',
});

const colours = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--accent)', fontWeight: '550' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--series-3)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--series-2)' },
  { tag: [tags.standard(tags.name), tags.typeName], color: 'var(--series-4)' },
  { tag: [tags.lineComment, tags.blockComment], color: 'var(--muted)', fontStyle: 'italic' },
]);

export function SqlEditor(props: SqlEditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  // The editor lives longer than one rendering: what it calls is looked up then.
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    if (place.current === null) return undefined;
    const editor = new EditorView({
      parent: place.current,
      state: EditorState.create({ doc: latest.current.initial, extensions: extensionsOf(latest) }),
    });
    view.current = editor;
    return () => editor.destroy();
  }, []);
  const { fault } = props;
  useEffect(() => {
    const editor = view.current;
    if (editor === null) return;
    editor.dispatch(setDiagnostics(editor.state, diagnosticsOf(fault, editor.state.doc.length)));
  }, [fault]);
  return <div ref={place} className="sql-editor" />;
}

function extensionsOf(latest: { readonly current: SqlEditorProps }) {
  const run = () => {
    latest.current.onRun();
    return true;
  };
  const isEditable = latest.current.editable !== false;
  return [
    lineNumbers(),
    history(),
    drawSelection(),
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    highlightActiveLine(),
    autocompletion({
      override: [
        completeSql(() => latest.current.tables),
        keywordCompletionSource(clickhouse, true),
      ],
    }),
    // Tab is not among the keys: it leaves the editor, as it leaves every input.
    keymap.of([
      { key: 'Mod-Enter', run },
      ...closeBracketsKeymap,
      ...completionKeymap,
      ...historyKeymap,
      ...defaultKeymap,
    ]),
    sql({ dialect: clickhouse, upperCaseKeywords: true }),
    syntaxHighlighting(colours),
    EditorState.readOnly.of(!isEditable),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ 'aria-label': 'SQL', spellcheck: 'false' }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) latest.current.onChange(update.state.doc.toString());
    }),
  ];
}

function diagnosticsOf(fault: Fault | null, length: number) {
  if (fault?.range === null || fault === null) return [];
  const [from, to] = fault.range;
  if (from >= length) return [];
  return [{ from, to: Math.min(to, length), severity: 'error' as const, message: fault.message }];
}
