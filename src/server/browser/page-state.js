/**
 * State shared by the panes beside GraphiQL's editors: the open tab, the headers, the newest response, and the request that
 * waits for one.
 */

export function openPageState(storage) {
  const listeners = new Set();
  let state = { query: null, variables: null, headers: {}, response: null, running: null };
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
    /** The open tab's texts. Those not edited since the page was opened come from GraphiQL's storage. */
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

/** The current state, in a React component. */
export function usePageState(state) {
  return React.useSyncExternalStore(state.subscribe, state.get);
}
