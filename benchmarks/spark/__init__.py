"""The row *spark*: the seven questions on Spark, beside the plain query and Tumult Analytics on the
same Spark.
"""
