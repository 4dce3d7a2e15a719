"""Who answers on Spark."""
