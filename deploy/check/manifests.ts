// Manifests have whatever shape their files have.
// oxlint-disable typescript/no-explicit-any
import * as apps from 'kubernetes-models/apps/v1'
import * as autoscaling from 'kubernetes-models/autoscaling/v2'
import * as networking from 'kubernetes-models/networking.k8s.io/v1'
import * as policy from 'kubernetes-models/policy/v1'
import * as core from 'kubernetes-models/v1'

const KINDS: Record<string, new (data: any) => { validate(): void }> = {
  'apps/v1 Deployment': apps.Deployment,
  'autoscaling/v2 HorizontalPodAutoscaler': autoscaling.HorizontalPodAutoscaler,
  'networking.k8s.io/v1 NetworkPolicy': networking.NetworkPolicy,
  'networking.k8s.io/v1 Ingress': networking.Ingress,
  'policy/v1 PodDisruptionBudget': policy.PodDisruptionBudget,
  'v1 Namespace': core.Namespace,
  'v1 ConfigMap': core.ConfigMap,
  'v1 Service': core.Service,
  'v1 ServiceAccount': core.ServiceAccount,
}

/** @throws Error that says what the schema of its kind does not allow */
export function validateManifest(manifest: any): void {
  const kind = `${manifest.apiVersion} ${manifest.kind}`
  const Kind = KINDS[kind]
  if (!Kind) throw new Error(`${kind} is not known here`)
  new Kind(manifest).validate()
}
