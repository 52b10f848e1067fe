{{- define "siann.name" -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "siann.selector" -}}
app.kubernetes.io/name: siann
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "siann.labels" -}}
{{ include "siann.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end -}}

{{- define "siann.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{- define "siann.scheme" -}}
{{- if eq .Values.tls.mode "secret" }}HTTPS{{ else }}HTTP{{ end -}}
{{- end -}}

{{/* What both roles are told; each is another user of Redis. */}}
{{- define "siann.environment" -}}
{{- $component := .component -}}
{{- with .root -}}
- name: SIANN_MODEL
  value: {{ .Values.model | quote }}
- name: SIANN_DRAIN_SECONDS
  value: {{ .Values.drainSeconds | quote }}
- name: SIANN_METRICS_ALLOW
  value: {{ join "," .Values.metricsAllow | quote }}
- name: SIANN_REDIS_URL
  valueFrom:
    secretKeyRef:
      name: {{ required "Set redis.secretName: the Secret with the address of Redis." .Values.redis.secretName }}
      key: {{ if eq $component "api" }}{{ .Values.redis.apiSecretKey }}{{ else }}{{ .Values.redis.workerSecretKey }}{{ end }}
{{- range $name, $value := .Values.settings }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end -}}
{{- end -}}

{{- define "siann.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "siann.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/* One machine, or one zone, that fails must not take all of them. */}}
{{- define "siann.spread" -}}
- maxSkew: 1
  topologyKey: kubernetes.io/hostname
  whenUnsatisfiable: ScheduleAnyway
  labelSelector:
    matchLabels:
      {{- include "siann.selector" . | nindent 6 }}
- maxSkew: 1
  topologyKey: topology.kubernetes.io/zone
  whenUnsatisfiable: ScheduleAnyway
  labelSelector:
    matchLabels:
      {{- include "siann.selector" . | nindent 6 }}
{{- end -}}
