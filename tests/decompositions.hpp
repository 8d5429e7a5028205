// Eigen's decompositions, which are oracles of ours, compiled once (support.cpp) and not in every test.
#pragma once

#include <mercer/matrix.hpp>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SVD>

extern template class Eigen::SelfAdjointEigenSolver<mercer::Block<double>>;
extern template class Eigen::SelfAdjointEigenSolver<mercer::Matrix<double>>;
extern template class Eigen::JacobiSVD<mercer::Block<double>>;
extern template class Eigen::HouseholderQR<mercer::Block<double>>;
