"""The gate for pull requests: what scripts and metadata in a repository would do to tables and their clients.

sources/  files to proposals     steps  proposals carried out on scratch tables     judge  steps to findings
"""
