{{- define "memory.name" -}}
{{ .Release.Name | trunc 50 | trimSuffix "-" }}
{{- end }}

{{- define "memory.labels" -}}
app.kubernetes.io/name: memory
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "memory.selector" -}}
app.kubernetes.io/name: memory
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- /* The pods of a role: takes the root as "root", the role as "role" and its values as "values". */}}
{{- define "memory.pods" -}}
metadata:
  labels:
    {{- include "memory.labels" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .role }}
  annotations:
    # Pods restart when a setting changes. After a change of the Secret, run kubectl rollout restart.
    checksum/settings: {{ .root.Values.settings | toYaml | sha256sum }}
    prometheus.io/scrape: 'true'
    prometheus.io/port: '8787'
    prometheus.io/path: /metrics
spec:
  serviceAccountName: {{ include "memory.name" .root }}
  automountServiceAccountToken: false
  enableServiceLinks: false
  {{- with .root.Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  # 5 s until no proxy sends new requests, 30 s for requests in flight, and a margin.
  terminationGracePeriodSeconds: 45
  securityContext:
    runAsNonRoot: true
    runAsUser: 1000
    runAsGroup: 1000
    fsGroup: 1000
    seccompProfile: { type: RuntimeDefault }
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "memory.selector" .root | nindent 10 }}
          app.kubernetes.io/component: {{ .role }}
  containers:
    - name: memory
      image: {{ printf "%s:%s" .root.Values.image.repository (.root.Values.image.tag | default .root.Chart.AppVersion) | quote }}
      imagePullPolicy: {{ .root.Values.image.pullPolicy }}
      env:
        - { name: ROLE, value: {{ .role }} }
      envFrom:
        - configMapRef: { name: {{ include "memory.name" .root }} }
        - secretRef: { name: {{ .root.Values.existingSecret }} }
      ports:
        - { name: http, containerPort: 8787 }
      # A start may migrate the database while others wait: ten minutes.
      startupProbe:
        httpGet: { path: /healthz, port: http }
        periodSeconds: 2
        failureThreshold: 300
      # Independent of the database: a restart would not repair that.
      livenessProbe:
        httpGet: { path: /healthz, port: http }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      readinessProbe:
        httpGet: { path: /readyz, port: http }
        periodSeconds: 5
        timeoutSeconds: 5
        failureThreshold: 2
      lifecycle:
        preStop:
          sleep: { seconds: 5 }
      resources:
        {{- toYaml .values.resources | nindent 8 }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: { drop: [ALL] }
      volumeMounts:
        - { name: scratch, mountPath: /var/lib/memory }
        - { name: tmp, mountPath: /tmp }
  volumes:
    # Everything is in the database; this holds the compile cache.
    - name: scratch
      emptyDir: { sizeLimit: 1Gi }
    - name: tmp
      emptyDir: { sizeLimit: 1Gi }
{{- end }}
