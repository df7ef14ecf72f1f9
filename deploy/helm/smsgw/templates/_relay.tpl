{{/* Names and pods that several resources share. */}}

{{- define "smsgw.name" -}}
{{- if contains "smsgw" .Release.Name }}{{ .Release.Name | trunc 52 | trimSuffix "-" }}{{ else }}{{ printf "%s-smsgw" .Release.Name | trunc 52 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "smsgw.selector" -}}
app.kubernetes.io/name: smsgw
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "smsgw.labels" -}}
{{ include "smsgw.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "smsgw.image" -}}
{{- if .Values.image.digest }}{{ .Values.image.repository }}@{{ .Values.image.digest }}{{ else }}{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{- define "smsgw.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "smsgw.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{/*
The settings that the relay and the migration share. The secrets are mounted as files, because the environment of a
process is easier to leak.
*/}}
{{- define "smsgw.settings" -}}
- name: DATABASE_URL_FILE
  value: /run/smsgw/database-url
{{- if .Values.database.directKey }}
- name: DATABASE_DIRECT_URL_FILE
  value: /run/smsgw/database-direct-url
{{- end }}
{{- if .Values.database.replicaKey }}
- name: DATABASE_REPLICA_URL_FILE
  value: /run/smsgw/database-replica-url
{{- end }}
- name: SERVER_SECRET_FILE
  value: /run/smsgw/server-secret
- name: ADMIN_USERNAME
  value: {{ .Values.admin.username | quote }}
- name: ADMIN_PASSWORD_FILE
  value: /run/smsgw/admin-password
{{- range $name, $value := .Values.env }}
- name: {{ $name }}
  {{- /* `quote` alone turns 2592000 from a values file into "2.592e+06". */}}
  value: {{ ternary $value (toJson $value) (kindIs "string" $value) | quote }}
{{- end }}
{{- end }}

{{- define "smsgw.volumeMounts" -}}
- name: secrets
  mountPath: /run/smsgw
  readOnly: true
- name: tmp
  mountPath: /tmp
{{- end }}

{{- define "smsgw.volumes" -}}
- name: secrets
  projected:
    defaultMode: 0440
    sources:
      - secret:
          name: {{ .Values.database.secretName }}
          items:
            - key: {{ .Values.database.key }}
              path: database-url
            {{- if .Values.database.directKey }}
            - key: {{ .Values.database.directKey }}
              path: database-direct-url
            {{- end }}
            {{- if .Values.database.replicaKey }}
            - key: {{ .Values.database.replicaKey }}
              path: database-replica-url
            {{- end }}
      - secret:
          name: {{ .Values.serverSecret.secretName }}
          items:
            - key: {{ .Values.serverSecret.key }}
              path: server-secret
      - secret:
          name: {{ .Values.admin.secretName }}
          items:
            - key: {{ .Values.admin.key }}
              path: admin-password
- name: tmp
  emptyDir:
    medium: Memory
    sizeLimit: 64Mi
{{- end }}
