# Reads the variables of an Envkeep environment with the http data source of HashiCorp.
# Terraform keeps what a data source reads, and the headers that it sent, in its state: the values AND the API key. Use a
# backend that encrypts the state, limit who reads it, and give Terraform a key of its own.
# Set the key with TF_VAR_envkeep_key, not on the command line.

terraform {
  required_providers {
    http = {
      source  = "hashicorp/http"
      version = "~> 3.5"
    }
  }
}

variable "envkeep_url" {
  type = string
}

variable "envkeep_key" {
  type      = string
  sensitive = true
}

data "http" "envkeep" {
  url                = "${var.envkeep_url}/api/v1/variables"
  request_timeout_ms = 10000
  request_headers = {
    Authorization = "Bearer ${var.envkeep_key}"
  }

  lifecycle {
    # The data source takes any status for a success.
    postcondition {
      condition     = self.status_code == 200
      error_message = "Envkeep answered with status ${self.status_code}"
    }
  }
}

locals {
  # For example local.envkeep["DATABASE_URL"]
  envkeep = sensitive(jsondecode(data.http.envkeep.response_body))
}
