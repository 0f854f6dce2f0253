/**
 * What each REST operation asks of the schema. The aliases are the wire names, so the answer of a
 * document is the body of the response: snake_case stands here and nowhere further in.
 */

const user = `{ id: number uuid distinct_id: uuid first_name: firstName last_name: lastName email }`;

const materialization = `{
  enabled status can_materialize: canMaterialize reason last_materialized_at: lastMaterializedAt error
  sync_frequency: syncFrequency max_stored_rows: maxStoredRows next_sync_at: nextSyncAt rows bytes ready
}`;

const materializationStatus = `${materialization.slice(0, -1)}
  duration_seconds: durationSeconds
  progress {
    rows_read: rowsRead bytes_read: bytesRead rows_total: rowsTotal percent time_elapsed: timeElapsed
  }
  history {
    id started_at: startedAt ended_at: endedAt outcome error rows bytes
    duration_seconds: durationSeconds
  }
}`;

const shared = `
  name description query is_active: isActive cache_age_seconds: cacheAgeSeconds
  endpoint_path: endpointPath url ui_url: uiUrl created_at: createdAt updated_at: updatedAt
  created_by: createdBy ${user}
  is_materialized: isMaterialized current_version: currentVersion current_version_id: currentVersionId
  versions_count: versionsCount derived_from_insight: derivedFromInsight last_executed_at: lastExecutedAt
  columns { name type } variables { name type required default description }
  materialization ${materialization}`;

const endpoint = `{ id ${shared} }`;

const version = `{
  id: endpointId ${shared} version version_id: versionId version_created_at: versionCreatedAt
  version_created_by: versionCreatedBy ${user} endpoint_is_active: endpointIsActive
}`;

export const documents = {
  list: `query List($projectId: ID!, $first: Int!, $offset: Int!, $filter: EndpointFilter) {
    endpoints(projectId: $projectId, first: $first, offset: $offset, filter: $filter) {
      totalCount edges { node ${endpoint} }
    }
  }`,
  create: `mutation Create($projectId: ID!, $input: CreateEndpointInput!) {
    endpoint: createEndpoint(projectId: $projectId, input: $input) ${endpoint}
  }`,
  retrieve: `query Retrieve($projectId: ID!, $name: String!) {
    endpoint(projectId: $projectId, name: $name) ${endpoint}
  }`,
  retrieveVersion: `query RetrieveVersion($projectId: ID!, $name: String!, $version: Int!) {
    endpoint(projectId: $projectId, name: $name) { version(version: $version) ${version} }
  }`,
  update: `mutation Update($projectId: ID!, $name: String!, $input: UpdateEndpointInput!) {
    endpoint: updateEndpoint(projectId: $projectId, name: $name, input: $input) ${endpoint}
  }`,
  updateVersion: `mutation UpdateVersion($projectId: ID!, $name: String!, $version: Int!, $input: UpdateEndpointInput!) {
    endpoint: updateEndpoint(projectId: $projectId, name: $name, version: $version, input: $input) { version(version: $version) ${version} }
  }`,
  delete: `mutation Delete($projectId: ID!, $name: String!) {
    deleteEndpoint(projectId: $projectId, name: $name)
  }`,
  materializationStatus: `query MaterializationStatus($projectId: ID!, $name: String!, $version: Int) {
    endpoint: endpointVersion(projectId: $projectId, name: $name, version: $version) {
      name version materialization ${materializationStatus}
    }
  }`,
  materializationPreview: `query MaterializationPreview($projectId: ID!, $name: String!, $version: Int) {
    preview: materializationPreview(projectId: $projectId, name: $name, version: $version) {
      name version can_materialize: canMaterialize reason
      stored_query: storedQuery read_query: readQuery sorting_key: sortingKey
      required_variables: requiredVariables
      variables { variable expression operator column } aggregates { expression stored }
      max_stored_rows: maxStoredRows expected { rows bytes exact }
    }
  }`,
  openapi: `query OpenApi($projectId: ID!, $name: String!, $version: Int) {
    endpoint: endpointVersion(projectId: $projectId, name: $name, version: $version) { openapi }
  }`,
  versions: `query Versions($projectId: ID!, $name: String!, $first: Int!, $offset: Int!) {
    endpointVersions(projectId: $projectId, name: $name, first: $first, offset: $offset) {
      totalCount edges { node ${version} }
    }
  }`,
  lastExecutionTimes: `query LastExecutionTimes($projectId: ID!, $names: [String!]!) {
    times: lastExecutionTimes(projectId: $projectId, names: $names) { name executedAt }
  }`,
} as const;

export type DocumentName = keyof typeof documents;
