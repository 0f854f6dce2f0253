/** What the panes beside GraphiQL's editors know: the tab that is open, the headers, the newest answer. */

export function openPageState(storage) {
  const listeners = new Set();
  let state = { query: null, variables: null, headers: {}, answer: null };
  return {
    get: () => state,
    set(changes) {
      state = { ...state, ...changes };
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** The texts of the open tab. What was not edited since the page was opened is as GraphiQL remembers it. */
    tab() {
      const { query, variables } = rememberedTab(storage);
      return { query: state.query ?? query ?? '', variables: state.variables ?? variables ?? '' };
    },
  };
}

function rememberedTab(storage) {
  try {
    const { tabs, activeTabIndex } = JSON.parse(storage.getItem('graphiql:tabState'));
    return tabs[activeTabIndex] ?? {};
  } catch {
    return {};
  }
}

/** The newest state, in a component of React. */
export function usePageState(state) {
  return React.useSyncExternalStore(state.subscribe, state.get);
}
