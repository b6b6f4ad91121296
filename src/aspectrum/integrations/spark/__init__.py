"""Lists in Spark: users are brought together by Spark, scored where they are, and only what the metrics remember reaches the driver.

What is known of users is broadcast, or joined with their lists: ``tables`` says which columns of DataFrames are what, ``files`` reads
what Spark does not, ``workers`` says what tasks do, ``calls`` what users call.
"""

from aspectrum.extras import needed

needed("pyspark", "spark", "DataFrames of Spark are evaluated", versions=("4.0", "5"))
needed("pyarrow", "spark", "DataFrames of Spark are evaluated")

from aspectrum.integrations.spark.calls import evaluate, evaluate_files, scores  # noqa: E402

__all__ = ["evaluate", "evaluate_files", "scores"]
