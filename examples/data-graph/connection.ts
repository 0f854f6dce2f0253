/** The graph of a key's project. A page gets a key of its own that may run endpoints and no more. */
export const url = 'http://127.0.0.1:4000/api/projects/@current/graphql';
export const headers = { authorization: 'Bearer <API_KEY>' };
