/** CodeMirror for one query, in its own chunk that is loaded with the first editor. */
import { autocompletion, type CompletionSource } from '@codemirror/autocomplete';
import { keywordCompletionSource, SQLDialect, sql } from '@codemirror/lang-sql';
import { setDiagnostics } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { completeSql, type KnownNames } from './completions.ts';
import { editorParts } from './editor-parts.ts';
import type { Fault } from './fault-place.ts';
import { sqlFunctions } from './functions.ts';

export interface SqlEditorProps {
  readonly initial: string;
  readonly names: KnownNames;
  readonly fault: Fault | null;
  readonly onChange: (text: string) => void;
  /** Ctrl-Enter. */
  readonly onRun: () => void;
  /** False for read-only. */
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

export function SqlEditor(props: SqlEditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  // The editor outlives a single rendering, so its callbacks are looked up when called.
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
  return <div ref={place} className="code-editor" />;
}

function extensionsOf(latest: { readonly current: SqlEditorProps }) {
  return [
    autocompletion({
      override: [
        completeSql(() => latest.current.names),
        keywordCompletionSource(clickhouse, true),
      ].map(whileFocused),
    }),
    sql({ dialect: clickhouse, upperCaseKeywords: true }),
    editorParts({
      label: 'SQL',
      isEditable: latest.current.editable !== false,
      onRun: () => latest.current.onRun(),
      onChange: (text) => latest.current.onChange(text),
    }),
  ];
}

/** Completions asked for by typing would otherwise open after the editor has lost the focus, over a dialog for example. */
function whileFocused(complete: CompletionSource): CompletionSource {
  return (context) => (context.view?.hasFocus === false ? null : complete(context));
}

function diagnosticsOf(fault: Fault | null, length: number) {
  if (fault?.range === null || fault === null) return [];
  const [from, to] = fault.range;
  if (from >= length) return [];
  return [{ from, to: Math.min(to, length), severity: 'error' as const, message: fault.message }];
}
