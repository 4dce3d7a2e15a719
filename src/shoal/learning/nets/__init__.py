"""Networks trained by noisy gradients: exact sums of clipped gradients over secret samples, with our
noise.  torch is an extra, which only training needs.
"""

from shoal.learning.nets.network_training import NetworkTraining
from shoal.learning.nets.neural_net import NeuralNetClassifier, NeuralNetRegressor

__all__ = ["NetworkTraining", "NeuralNetClassifier", "NeuralNetRegressor"]
